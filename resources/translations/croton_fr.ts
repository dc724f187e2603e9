<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr">
<context>
    <name>croton</name>
    <message><source>
%1 in all its calls</source><translation>
%1 pour tous ses appels</translation></message>
    <message><source>
compiled at %1:%2</source><translation>
compilée à %1:%2</translation></message>
    <message><source>
its applies take %1 of a call</source><translation>
ses apply prennent %1 d'un appel</translation></message>
    <message><source> on the host · %1 planned on %2</source><translation> sur l'hôte · %1 prévus sur %2</translation></message>
    <message><source> · arena %1</source><translation> · arène %1</translation></message>
    <message><source> · the most used of %1 plans</source><translation> · le plus utilisé de %1 plans</translation></message>
    <message><source>#apply</source><translation>n° apply</translation></message>
    <message><source>#call</source><translation>n° appel</translation></message>
    <message><source>% of peak</source><translation>% du pic</translation></message>
    <message><source>% of range</source><translation>% de l'intervalle</translation></message>
    <message><source>% time</source><translation>% du temps</translation></message>
    <message><source>%1 %2 of %3</source><translation>%1 %2 sur %3</translation></message>
    <message><source>%1 %2 were left out: %3.</source><translation>%1 %2 ont été omis : %3.</translation></message>
    <message><source>%1 (script)</source><translation>%1 (script)</translation></message>
    <message><source>%1 (simulated)</source><translation>%1 (simulé)</translation></message>
    <message><source>%1 About %n minutes.</source><translation>%1 Environ %n minutes.</translation></message>
    <message><source>%1 a call</source><translation>%1 par appel</translation></message>
    <message><source>%1 a call by the clock of the device · %2 of the host's time</source><translation>%1 par appel à l'horloge du périphérique · %2 du temps de l'hôte</translation></message>
    <message><source>%1 a call now, at least %2</source><translation>%1 par appel maintenant, au moins %2</translation></message>
    <message><source>%1 a call · %2</source><translation>%1 par appel · %2</translation></message>
    <message><source>%1 a call · %2 of the time</source><translation>%1 par appel · %2 du temps</translation></message>
    <message><source>%1 a call, %2 at most, error %3, %4</source><translation>%1 par appel, %2 au plus, erreur %3, %4</translation></message>
    <message><source>%1 after step %2</source><translation>%1 après l'étape %2</translation></message>
    <message><source>%1 after step %2 of %3</source><translation>%1 après l’étape %2 sur %3</translation></message>
    <message><source>%1 and %2</source><translation>%1 et %2</translation></message>
    <message><source>%1 applies</source><translation>%1 apply</translation></message>
    <message><source>%1 as a picture or as a table</source><translation>%1 en image ou en tableau</translation></message>
    <message><source>%1 as written</source><translation>%1 tel qu'écrit</translation></message>
    <message><source>%1 at %2 flop a byte</source><translation>%1 à %2 flop par octet</translation></message>
    <message><source>%1 at most, as predicted; %2 of it stay taken until the next call</source><translation>%1 au plus, selon la prévision ; %2 en restent pris jusqu'à l'appel suivant</translation></message>
    <message><source>%1 born here</source><translation>%1 né ici</translation></message>
    <message><source>%1 calls</source><translation>%1 appels</translation></message>
    <message><source>%1 came in</source><translation>%1 est entré</translation></message>
    <message><source>%1 cannot be edited here: %2.</source><translation>%1 ne peut pas être modifié ici : %2.</translation></message>
    <message><source>%1 cannot be read, in the table with the reason</source><translation>%1 illisibles, dans le tableau avec la raison</translation></message>
    <message><source>%1 cannot be written, and no copy of it could be made: is the disk full?</source><translation>On ne peut pas écrire dans %1, et aucune copie n'a pu en être faite : le disque est-il plein ?</translation></message>
    <message><source>%1 cannot be written: %2. Choose another folder.</source><translation>%1 ne peut pas être écrit : %2. Choisissez un autre dossier.</translation></message>
    <message><source>%1 classes</source><translation>%1 classes</translation></message>
    <message><source>%1 copies</source><translation>%1 copies</translation></message>
    <message><source>%1 could not be read within %2 seconds.</source><translation>%1 n'a pas pu être lu en %2 secondes.</translation></message>
    <message><source>%1 could not be saved: %2. What you typed is kept, and comes back when you edit the script again.</source><translation>%1 n'a pas pu être enregistré : %2. Ce que vous avez tapé est gardé et revient quand vous modifiez de nouveau le script.</translation></message>
    <message><source>%1 could not be started (%2). Close some programs and try again, or build or install Croton again.</source><translation>%1 n'a pas pu être lancé (%2). Fermez des programmes et réessayez, ou recompilez ou réinstallez Croton.</translation></message>
    <message><source>%1 could not be started: it is no longer there. Build or install Croton again.</source><translation>%1 n'a pas pu être lancé : il n'est plus là. Recompilez ou réinstallez Croton.</translation></message>
    <message><source>%1 could not be written completely. Is the disk full?</source><translation>%1 n'a pas pu être écrit en entier. Le disque est-il plein ?</translation></message>
    <message><source>%1 could not be written: %2.</source><translation>%1 n'a pas pu être écrit : %2.</translation></message>
    <message><source>%1 could not be written: %2. Choose another place.</source><translation>%1 n’a pas pu être écrit : %2. Choisissez un autre endroit.</translation></message>
    <message><source>%1 crashed (%2). Run this in a terminal to see more: %3</source><translation>%1 a planté (%2). Lancez ceci dans un terminal pour en voir plus : %3</translation></message>
    <message><source>%1 devices</source><translation>%1 appareils</translation></message>
    <message><source>%1 elements</source><translation>%1 éléments</translation></message>
    <message><source>%1 ended with status %2 and gave no reason. Run this in a terminal to see more: %3</source><translation>%1 s'est terminé avec le statut %2 sans donner de raison. Lancez ceci dans un terminal pour en voir plus : %3</translation></message>
    <message><source>%1 events</source><translation>%1 événements</translation></message>
    <message><source>%1 explains what you look at, %2 finds everything by name, and lessons (%3) teach it in small steps. This tour is in the menu Help.</source><translation>%1 explique ce que vous regardez, %2 trouve tout par son nom, et les leçons (%3) l'enseignent pas à pas. Cette visite est dans le menu Aide.</translation></message>
    <message><source>%1 flop a call</source><translation>%1 flop par appel</translation></message>
    <message><source>%1 flop and %2 a call: %3, %4. %5 bounds it.</source><translation>%1 flop et %2 par appel : %3, %4. Limité par : %5.</translation></message>
    <message><source>%1 frames</source><translation>%1 cadres</translation></message>
    <message><source>%1 from %2 to %3</source><translation>%1 de %2 à %3</translation></message>
    <message><source>%1 from the line itself, %2</source><translation>%1 de la ligne elle-même, %2</translation></message>
    <message><source>%1 functions</source><translation>%1 fonctions</translation></message>
    <message><source>%1 gave no answer within %2 and was ended. Run this in a terminal to see more: %3</source><translation>%1 n'a pas répondu en %2 et a été arrêté. Lancez ceci dans un terminal pour en voir plus : %3</translation></message>
    <message><source>%1 has no applies.</source><translation>%1 n'a aucun apply.</translation></message>
    <message><source>%1 has no graph to make a thumbnail of.</source><translation>%1 n’a pas de graphe dont faire une vignette.</translation></message>
    <message><source>%1 in %2: %3 as written, %4 optimized, %5</source><translation>%1 en %2 : %3 tels qu'écrits, %4 optimisés, %5</translation></message>
    <message><source>%1 in all, %2 of the time in thunks</source><translation>%1 en tout, %2 du temps des thunks</translation></message>
    <message><source>%1 in all: %2 rewriting (%3), %4 linking. %5 became %6.</source><translation>%1 en tout : %2 de réécriture (%3), %4 d'édition de liens. %5 → %6.</translation></message>
    <message><source>%1 in both</source><translation>%1 des deux côtés</translation></message>
    <message><source>%1 in closed groups</source><translation>%1 dans des groupes fermés</translation></message>
    <message><source>%1 in, %2 out</source><translation>%1 en entrée, %2 en sortie</translation></message>
    <message><source>%1 inside %2: %3 as written, %4 optimized</source><translation>%1 dans %2 : %3 tels qu'écrits, %4 optimisés</translation></message>
    <message><source>%1 is a simulation on the processor: its times say nothing of a card.</source><translation>%1 est une simulation sur le processeur : ses temps ne disent rien d’une carte.</translation></message>
    <message><source>%1 is no regular expression: %2.</source><translation>%1 n'est pas une expression régulière : %2.</translation></message>
    <message><source>%1 is no time: write time&gt;20us, time&gt;1ms or time&lt;1s.</source><translation>%1 n'est pas un temps : écrivez time&gt;20us, time&gt;1ms ou time&lt;1s.</translation></message>
    <message><source>%1 is set in %2</source><translation>%1 est réglé dans %2</translation></message>
    <message><source>%1 is still being drawn. Wait for it, or cancel it.</source><translation>%1 est encore en cours de dessin. Attendez, ou annulez.</translation></message>
    <message><source>%1 less</source><translation>%1 de moins</translation></message>
    <message><source>%1 lines</source><translation>%1 lignes</translation></message>
    <message><source>%1 lines differ</source><translation>%1 lignes diffèrent</translation></message>
    <message><source>%1 modules</source><translation>%1 modules</translation></message>
    <message><source>%1 more</source><translation>%1 de plus</translation></message>
    <message><source>%1 narrower ones</source><translation>%1 plus étroits</translation></message>
    <message><source>%1 node</source><translation>%1 nœud</translation></message>
    <message><source>%1 nodes</source><translation>%1 nœuds</translation></message>
    <message><source>%1 not finite</source><translation>%1 non finis</translation></message>
    <message><source>%1 of %2</source><translation>%1 sur %2</translation></message>
    <message><source>%1 of %2 changed significantly.</source><translation>%1 sur %2 : changement significatif.</translation></message>
    <message><source>%1 of %2 digits lost, %3 of them in it.</source><translation>%1 chiffres sur %2 perdus, dont %3 dans ce nœud.</translation></message>
    <message><source>%1 of %2 in A, %3 in B</source><translation>%1 de %2 dans A, %3 dans B</translation></message>
    <message><source>%1 of %2 lost</source><translation>%1 sur %2 perdus</translation></message>
    <message><source>%1 of %2 on both sides</source><translation>%1 de %2 des deux côtés</translation></message>
    <message><source>%1 of %2 parts, %3 so far</source><translation>%1 parties sur %2, %3 jusqu'ici</translation></message>
    <message><source>%1 of %2 right</source><translation>%1 sur %2 justes</translation></message>
    <message><source>%1 of ops of %2, per call</source><translation>%1 d'ops de %2, par appel</translation></message>
    <message><source>%1 of output</source><translation>%1 de la sortie</translation></message>
    <message><source>%1 of the output are not in the session.</source><translation>%1 de la sortie ne sont pas dans la session.</translation></message>
    <message><source>%1 of the peak</source><translation>%1 du maximum</translation></message>
    <message><source>%1 older ones are not shown</source><translation>%1 plus anciennes ne sont pas montrées</translation></message>
    <message><source>%1 on each side</source><translation>%1 de chaque côté</translation></message>
    <message><source>%1 ops</source><translation>%1 ops</translation></message>
    <message><source>%1 optimized</source><translation>%1 optimisé</translation></message>
    <message><source>%1 others</source><translation>%1 autres</translation></message>
    <message><source>%1 out of %2</source><translation>%1 sur %2</translation></message>
    <message><source>%1 pairs</source><translation>%1 paires</translation></message>
    <message><source>%1 per call, %2 of all applies</source><translation>%1 par appel, %2 de tous les apply</translation></message>
    <message><source>%1 placed</source><translation>%1 placés</translation></message>
    <message><source>%1 ran on %2 and copied nothing between devices.</source><translation>%1 a tourné sur %2 et n'a rien copié entre appareils.</translation></message>
    <message><source>%1 rewrites</source><translation>%1 réécritures</translation></message>
    <message><source>%1 runs</source><translation>%1 exécutions</translation></message>
    <message><source>%1 sessions</source><translation>%1 sessions</translation></message>
    <message><source>%1 settings differ</source><translation>%1 réglages diffèrent</translation></message>
    <message><source>%1 steps</source><translation>%1 étapes</translation></message>
    <message><source>%1 takes %2 less a call</source><translation>%1 prend %2 de moins par appel</translation></message>
    <message><source>%1 takes %2 more a call</source><translation>%1 prend %2 de plus par appel</translation></message>
    <message><source>%1 takes as long in both</source><translation>%1 prend autant des deux côtés</translation></message>
    <message><source>%1 threads</source><translation>%1 fils d'exécution</translation></message>
    <message><source>%1 times</source><translation>%1 fois</translation></message>
    <message><source>%1 ulp</source><translation>%1 ulp</translation></message>
    <message><source>%1 values computed again, about %2 a call by the cost model</source><translation>%1 valeurs recalculées, environ %2 par appel selon le modèle de coût</translation></message>
    <message><source>%1 was not called</source><translation>%1 n'a pas été appelée</translation></message>
    <message><source>%1 was not called, so there are no times.</source><translation>%1 n'a pas été appelée, il n'y a donc pas de temps.</translation></message>
    <message><source>%1 was not written.</source><translation>%1 n'a pas été écrit.</translation></message>
    <message><source>%1 with no known bound: that time counts as it is</source><translation>%1 sans borne connue : ce temps compte tel quel</translation></message>
    <message><source>%1 with what the line calls, %2 of the time in thunks</source><translation>%1 avec ce que la ligne appelle, %2 du temps des thunks</translation></message>
    <message><source>%1 without a partner</source><translation>%1 sans partenaire</translation></message>
    <message><source>%1 without a place, in the table with the reason</source><translation>%1 sans place, dans le tableau avec la raison</translation></message>
    <message><source>%1 · %2 in thunks</source><translation>%1 · %2 dans les thunks</translation></message>
    <message><source>%1 · %2 · compiled in %3</source><translation>%1 · %2 · compilée en %3</translation></message>
    <message><source>%1 · answers hidden</source><translation>%1 · réponses cachées</translation></message>
    <message><source>%1 · most that a call takes</source><translation>%1 · le plus que prenne un appel</translation></message>
    <message><source>%1 · peak %2 planned</source><translation>%1 · pic prévu %2</translation></message>
    <message><source>%1 × as long with blocking</source><translation>%1 × plus long avec blocage</translation></message>
    <message><source>%1 × as long without blocking</source><translation>%1 × plus long sans blocage</translation></message>
    <message><source>%1, %2 in %3</source><translation>%1, %2 en %3</translation></message>
    <message><source>%1, %2 only in A, %3 only in B</source><translation>%1, %2 seulement dans A, %3 seulement dans B</translation></message>
    <message><source>%1, %2; median %3, 95 %% below %4, standard deviation %5</source><translation>%1, %2 ; médiane %3, 95 %% sous %4, écart type %5</translation></message>
    <message><source>%1, %2; what a simulation takes for them says nothing of a card</source><translation>%1, %2 ; le temps d’une simulation ne dit rien d’une carte</translation></message>
    <message><source>%1, as now</source><translation>%1, comme maintenant</translation></message>
    <message><source>%1, by the device's clock</source><translation>%1, à l'horloge du périphérique</translation></message>
    <message><source>%1, by the host's clock</source><translation>%1, à l'horloge de l'hôte</translation></message>
    <message><source>%1, editing</source><translation>%1, en modification</translation></message>
    <message><source>%1, folded</source><translation>%1, replié</translation></message>
    <message><source>%1, line %2: %3</source><translation>%1, ligne %2 : %3</translation></message>
    <message><source>%1, line %2: %3. %4.</source><translation>%1, ligne %2 : %3. %4.</translation></message>
    <message><source>%1, lives from step %2 to %3 of the call</source><translation>%1, vit de l'étape %2 à l'étape %3 de l'appel</translation></message>
    <message><source>%1, not saved</source><translation>%1, non enregistré</translation></message>
    <message><source>%1, random</source><translation>%1, au hasard</translation></message>
    <message><source>%1, warming up</source><translation>%1, mise en route</translation></message>
    <message><source>%1, what changed most per call first</source><translation>%1, ce qui a le plus changé par appel d'abord</translation></message>
    <message><source>%1. The script runs when that is done.</source><translation>%1. Le script s'exécute quand c'est fini.</translation></message>
    <message><source>%1. When that is done this works.</source><translation>%1. Quand c'est fini, cela marche.</translation></message>
    <message><source>%1/s</source><translation>%1/s</translation></message>
    <message><source>%1: %2 a call now</source><translation>%1 : %2 par appel maintenant</translation></message>
    <message><source>%1: %2 a call now, %3 at its roof</source><translation>%1 : %2 par appel maintenant, %3 à son plafond</translation></message>
    <message><source>%1: %2 bounds it</source><translation>%1 : borné par %2</translation></message>
    <message><source>%1: %2 in %3
busy for %4 of it · zoom in to see each</source><translation>%1 : %2 en %3
occupé pendant %4 de ce temps · rapprochez pour voir chacun</translation></message>
    <message><source>%1: %2 of %3, %4</source><translation>%1 : %2 de %3, %4</translation></message>
    <message><source>%1: %2 to %3</source><translation>%1 : %2 à %3</translation></message>
    <message><source>%1: %2, means of all calls, the first among them</source><translation>%1 : %2, moyennes de tous les appels, le premier compris</translation></message>
    <message><source>%1: %2, median %3, 95 % below %4</source><translation>%1 : %2, médiane %3, 95 % sous %4</translation></message>
    <message><source>%1: changes %2</source><translation>%1 : change %2</translation></message>
    <message><source>%1: it lives on in apply %2.</source><translation>%1 : il survit dans l'apply %2.</translation></message>
    <message><source>%1: its one step</source><translation>%1 : son unique étape</translation></message>
    <message><source>%1: not here.</source><translation>%1 : absent d'ici.</translation></message>
    <message><source>%1: record with croton profile --capture, and the graph can be run after its steps</source><translation>%1 : enregistrez avec croton profile --capture, et le graphe pourra être exécuté après ses étapes</translation></message>
    <message><source>%1: so nothing can be left out and run again. Record with croton profile --capture.</source><translation>%1 : rien ne peut donc être omis et exécuté de nouveau. Enregistrez avec croton profile --capture.</translation></message>
    <message><source>%1: step %2 of the %3 that it made</source><translation>%1 : étape %2 sur les %3 qu'elle a faites</translation></message>
    <message><source>%1: with it and without it</source><translation>%1 : avec et sans</translation></message>
    <message><source>%1; %2 is a simulation</source><translation>%1 ; %2 est une simulation</translation></message>
    <message><source>%2 changes in %1</source><translation>%2 changements dans %1</translation></message>
    <message><source>%f is the file, %l the line</source><translation>%f est le fichier, %l la ligne</translation></message>
    <message><source>%n in all</source><translation>%n en tout</translation></message>
    <message><source>%n marked</source><translation>%n marqués</translation></message>
    <message><source>%n not drawn: what only brings a constant into shape is written into the node that reads it</source><translation>%n non dessinés : ce qui ne fait que donner sa forme à une constante est écrit dans le nœud qui la lit</translation></message>
    <message><source>(a part of it)</source><translation>(une partie)</translation></message>
    <message><source>(equal parts are one node)</source><translation>(les parties égales sont un nœud)</translation></message>
    <message><source>(nothing)</source><translation>(rien)</translation></message>
    <message><source>(piece %1 of %2)</source><translation>(partie %1 sur %2)</translation></message>
    <message><source>**%1 cannot be read as a lesson.**

</source><translation>**%1 ne se lit pas comme une leçon.**

</translation></message>
    <message><source>+ only in B, − only in A</source><translation>+ seulement dans B, − seulement dans A</translation></message>
    <message><source>, %1 measured</source><translation>, %1 mesurés</translation></message>
    <message><source>, round %1</source><translation>, tour %1</translation></message>
    <message><source>- Line %1: %2. *Way out:* %3.
</source><translation>- Ligne %1 : %2. *Que faire :* %3.
</translation></message>
    <message><source>--handout is made of a lesson: name it with --lesson (croton lesson list).</source><translation>--handout se fait d’une leçon : nommez-la avec --lesson (croton lesson list).</translation></message>
    <message><source>--run runs a script: give a .py file with it.</source><translation>--run exécute un script : donnez un fichier .py avec lui.</translation></message>
    <message><source>--thumbnail is the size of a picture: name its file with --screenshot OUT.png.</source><translation>--thumbnail est la taille d’une image : nommez son fichier avec --screenshot OUT.png.</translation></message>
    <message><source>--with-answers belongs to --handout OUT.pdf.</source><translation>--with-answers va avec --handout OUT.pdf.</translation></message>
    <message><source>0 B</source><translation>0 o</translation></message>
    <message><source>1 apply</source><translation>1 apply</translation></message>
    <message><source>1 call</source><translation>1 appel</translation></message>
    <message><source>1 change in %1</source><translation>1 changement dans %1</translation></message>
    <message><source>1 class</source><translation>1 classe</translation></message>
    <message><source>1 copy</source><translation>1 copie</translation></message>
    <message><source>1 device</source><translation>1 appareil</translation></message>
    <message><source>1 element</source><translation>1 élément</translation></message>
    <message><source>1 event</source><translation>1 événement</translation></message>
    <message><source>1 frame</source><translation>1 cadre</translation></message>
    <message><source>1 function</source><translation>1 fonction</translation></message>
    <message><source>1 line</source><translation>1 ligne</translation></message>
    <message><source>1 line differs</source><translation>1 ligne diffère</translation></message>
    <message><source>1 module</source><translation>1 module</translation></message>
    <message><source>1 narrower one</source><translation>1 plus étroit</translation></message>
    <message><source>1 node</source><translation>1 nœud</translation></message>
    <message><source>1 op</source><translation>1 op</translation></message>
    <message><source>1 other</source><translation>1 autre</translation></message>
    <message><source>1 pair</source><translation>1 paire</translation></message>
    <message><source>1 rewrite</source><translation>1 réécriture</translation></message>
    <message><source>1 run</source><translation>1 exécution</translation></message>
    <message><source>1 session</source><translation>1 session</translation></message>
    <message><source>1 setting differs</source><translation>1 réglage diffère</translation></message>
    <message><source>1 step</source><translation>1 étape</translation></message>
    <message><source>1 thread</source><translation>1 fil d'exécution</translation></message>
    <message><source>1 value computed again, about %1 a call by the cost model</source><translation>1 valeur recalculée, environ %1 par appel selon le modèle de coût</translation></message>
    <message><source>&lt;b&gt;%1&lt;/b&gt; → &lt;b&gt;%2&lt;/b&gt;, %3 edges</source><translation>&lt;b&gt;%1&lt;/b&gt; → &lt;b&gt;%2&lt;/b&gt;, %3 arêtes</translation></message>
    <message><source>&lt;b&gt;%1&lt;/b&gt; → argument %2 of &lt;b&gt;%3&lt;/b&gt;</source><translation>&lt;b&gt;%1&lt;/b&gt; → argument %2 de &lt;b&gt;%3&lt;/b&gt;</translation></message>
    <message><source>&lt;b&gt;Croton Studio %1&lt;/b&gt;&lt;br&gt;See what a compiler makes of your expressions.&lt;br&gt;&lt;br&gt;BSD 3-clause licence. Uses Qt under the LGPL.</source><translation>&lt;b&gt;Croton Studio %1&lt;/b&gt;&lt;br&gt;Voyez ce qu'un compilateur fait de vos expressions.&lt;br&gt;&lt;br&gt;Licence BSD à 3 clauses. Utilise Qt sous LGPL.</translation></message>
    <message><source>A</source><translation>A</translation></message>
    <message><source>A call</source><translation>Un appel</translation></message>
    <message><source>A call now and at the roofs</source><translation>Un appel maintenant et aux plafonds</translation></message>
    <message><source>A call takes %1. %2 of the time has no known bound (%3).</source><translation>Un appel prend %1. %2 du temps n’a pas de limite connue (%3).</translation></message>
    <message><source>A call takes %1. At the roofs of this machine it would take %2: at most %3 times as fast.</source><translation>Un appel prend %1. Aux plafonds de cette machine il prendrait %2 : au plus %3 fois plus vite.</translation></message>
    <message><source>A call takes %1. How fast it could be is not known: there is no roof for any of it.</source><translation>Un appel prend %1. On ne sait pas à quelle vitesse il pourrait aller : aucun plafond n’est connu pour ce qu’il fait.</translation></message>
    <message><source>A call would take %1 at best.</source><translation>Un appel prendrait %1 au mieux.</translation></message>
    <message><source>A call would take %1 at worst.</source><translation>Un appel prendrait %1 au pire.</translation></message>
    <message><source>A call would take about %1.</source><translation>Un appel prendrait environ %1.</translation></message>
    <message><source>A link of “Copy link to this view”.</source><translation>Un lien de « Copier le lien vers cette vue ».</translation></message>
    <message><source>A part is estimated: fused kernels are split by what their steps cost on this machine, as measured</source><translation>Une partie est estimée : les noyaux fusionnés sont répartis selon ce que leurs pas coûtent sur cette machine, tel que mesuré</translation></message>
    <message><source>A picture is of what was recorded: run the script with croton profile, and give its session.</source><translation>Une image montre ce qui a été enregistré : exécutez le script avec croton profile, et donnez sa session.</translation></message>
    <message><source>A run with %1 alone took %2 a call.</source><translation>Une exécution avec %1 seul a pris %2 par appel.</translation></message>
    <message><source>A run with %1 did not call this function.</source><translation>Une exécution avec %1 n'a pas appelé cette fonction.</translation></message>
    <message><source>A run with %1 failed: %2</source><translation>Une exécution avec %1 a échoué : %2</translation></message>
    <message><source>A run with %1 took %2 a call.</source><translation>Une exécution avec %1 a pris %2 par appel.</translation></message>
    <message><source>A script (.py), a session (.croton) or a graph (.json); two sessions are compared. Or a link of “Copy link to this view”.</source><translation>Un script (.py), une session (.croton) ou un graphe (.json) ; deux sessions sont comparées. Ou un lien de « Copier le lien vers cette vue ».</translation></message>
    <message><source>A smaller or larger budget; with Shift by more</source><translation>Un budget plus petit ou plus grand ; avec Maj de plus loin</translation></message>
    <message><source>A solution</source><translation>Une solution</translation></message>
    <message><source>A variable has no code of its own</source><translation>Une variable n'a pas de code à elle</translation></message>
    <message><source>A, and B where it differs</source><translation>A, et B là où il diffère</translation></message>
    <message><source>A, in applies</source><translation>A, dans les apply</translation></message>
    <message><source>About</source><translation>À propos</translation></message>
    <message><source>About Croton Studio</source><translation>À propos de Croton Studio</translation></message>
    <message><source>Advice</source><translation>Conseils</translation></message>
    <message><source>After</source><translation>Après</translation></message>
    <message><source>After it</source><translation>Après elle</translation></message>
    <message><source>After step %1</source><translation>Après l'étape %1</translation></message>
    <message><source>After step %1, %2</source><translation>Après l'étape %1, %2</translation></message>
    <message><source>After this step</source><translation>Après cette étape</translation></message>
    <message><source>After which the graph was run as it stood</source><translation>Après laquelle le graphe a été exécuté tel quel</translation></message>
    <message><source>Aligned by</source><translation>Alignés sur</translation></message>
    <message><source>All</source><translation>Tout</translation></message>
    <message><source>All applies of B share a shift of %1</source><translation>Tous les apply de B ont en commun un décalage de %1</translation></message>
    <message><source>All applies of B share a shift of %1: a busy machine, or one change that touches all. “Judged” is without it.</source><translation>Tous les apply de B ont en commun un décalage de %1 : une machine occupée, ou un changement qui touche tout. « Jugé » est sans lui.</translation></message>
    <message><source>All lessons</source><translation>Toutes les leçons</translation></message>
    <message><source>All steps of line %1</source><translation>Toutes les étapes de la ligne %1</translation></message>
    <message><source>All steps of this node</source><translation>Toutes les étapes de ce nœud</translation></message>
    <message><source>All that was found, as a list</source><translation>Tout ce qui a été trouvé, en liste</translation></message>
    <message><source>Allocated, or freed where negative</source><translation>Alloués, ou libérés si négatif</translation></message>
    <message><source>An apply that stems from several lines is shared out by what its steps cost.</source><translation>Un apply issu de plusieurs lignes est réparti selon ce que ses pas coûtent.</translation></message>
    <message><source>Another file …</source><translation>Un autre fichier…</translation></message>
    <message><source>Another session was opened during the run.</source><translation>Une autre session a été ouverte pendant l’exécution.</translation></message>
    <message><source>Answer: %1</source><translation>Réponse : %1</translation></message>
    <message><source>Answer: ____________ %1</source><translation>Réponse : ____________ %1</translation></message>
    <message><source>Answer: the nodes that are marked.</source><translation>Réponse : les nœuds marqués.</translation></message>
    <message><source>Appearance</source><translation>Apparence</translation></message>
    <message><source>Applies</source><translation>Apply</translation></message>
    <message><source>Applies %1 → %2</source><translation>Apply %1 → %2</translation></message>
    <message><source>Applies more or less than before</source><translation>Plus ou moins d'apply qu'avant</translation></message>
    <message><source>Apply</source><translation>Apply</translation></message>
    <message><source>Apply name</source><translation>Nom de l'apply</translation></message>
    <message><source>Apply time</source><translation>Temps d'apply</translation></message>
    <message><source>Are they comparable?</source><translation>Sont-ils comparables ?</translation></message>
    <message><source>Arena</source><translation>Arène</translation></message>
    <message><source>Arithmetic</source><translation>Arithmétique</translation></message>
    <message><source>Arithmetic a second, as the op states it</source><translation>Arithmétique par seconde, telle que l'op la déclare</translation></message>
    <message><source>Arithmetic for each byte of inputs and outputs</source><translation>Arithmétique par octet d'entrées et de sorties</translation></message>
    <message><source>As if nothing else had to be copied to a device or back</source><translation>Comme si rien d'autre ne devait être copié vers un périphérique ou en revenir</translation></message>
    <message><source>As it is written in the picture</source><translation>Comme dans l'image</translation></message>
    <message><source>As it was recorded; it has run here meanwhile</source><translation>Tel qu'enregistré ; il s'est exécuté ici entre-temps</translation></message>
    <message><source>As it was recorded; it is running here in the background</source><translation>Tel qu'enregistré ; il s'exécute ici en arrière-plan</translation></message>
    <message><source>As it was recorded; not run here: %1</source><translation>Tel qu'enregistré ; pas exécuté ici : %1</translation></message>
    <message><source>As it was written. The bar beside a line is the time that stems from it. Click a line: what became of it lights up in the graphs.</source><translation>Tel qu'il fut écrit. La barre à côté d'une ligne est le temps qui en provient. Cliquez une ligne : ce qu'elle est devenue s'allume dans les graphes.</translation></message>
    <message><source>As wide as 80 columns, and back</source><translation>Large de 80 colonnes, et retour</translation></message>
    <message><source>As written</source><translation>Tel qu'écrit</translation></message>
    <message><source>As written (Home)</source><translation>Tel qu'écrit (Début)</translation></message>
    <message><source>As written, optimized</source><translation>Tel qu'écrit, optimisé</translation></message>
    <message><source>Async: by the host's clock, which goes on after each launch</source><translation>Asynchrone : à l'horloge de l'hôte, qui continue après chaque lancement</translation></message>
    <message><source>At most</source><translation>Au plus</translation></message>
    <message><source>B</source><translation>B</translation></message>
    <message><source>B / A − 1, as measured</source><translation>B / A − 1, tel que mesuré</translation></message>
    <message><source>B − A</source><translation>B − A</translation></message>
    <message><source>B − A per call; left of the line B is faster, right of it slower</source><translation>B − A par appel ; à gauche de la ligne B est plus rapide, à droite plus lent</translation></message>
    <message><source>B − A; left of the line B is faster, right of it slower</source><translation>B − A ; à gauche de la ligne B est plus rapide, à droite plus lent</translation></message>
    <message><source>B, in applies</source><translation>B, dans les apply</translation></message>
    <message><source>Back</source><translation>Retour</translation></message>
    <message><source>Back (Alt+←)</source><translation>Retour (Alt+←)</translation></message>
    <message><source>Back to the page before</source><translation>Revenir à la page précédente</translation></message>
    <message><source>Back to where I was last time</source><translation>Revenir là où j'étais la dernière fois</translation></message>
    <message><source>Bars: time that descends from the line</source><translation>Barres : le temps qui descend de la ligne</translation></message>
    <message><source>Bars: time that descends from the line; in a frame, that of what it calls</source><translation>Barres : le temps qui descend de la ligne ; encadré, celui de ce qu'elle appelle</translation></message>
    <message><source>Because:</source><translation>Parce que :</translation></message>
    <message><source>Before</source><translation>Avant</translation></message>
    <message><source>Before step %1</source><translation>Avant l'étape %1</translation></message>
    <message><source>Before this step</source><translation>Avant cette étape</translation></message>
    <message><source>Begin the tour of the window, at its stop N.</source><translation>Commencer la visite de la fenêtre, à son étape N.</translation></message>
    <message><source>Between calls</source><translation>Entre les appels</translation></message>
    <message><source>Birth certificate</source><translation>Acte de naissance</translation></message>
    <message><source>Blocking</source><translation>Bloquant</translation></message>
    <message><source>Blocking off | on</source><translation>Sans | avec blocage</translation></message>
    <message><source>Bound by</source><translation>Borné par</translation></message>
    <message><source>Bring the studio back to this page</source><translation>Ramener le studio à cette page</translation></message>
    <message><source>Budget %1</source><translation>Budget %1</translation></message>
    <message><source>By a run with the flags</source><translation>Par une exécution avec les options</translation></message>
    <message><source>By the device's clock: the parts above. By the host's clock: the tables, where an apply has what it waits for the device, too.</source><translation>À l'horloge de l'appareil : les parts ci-dessus. À celle de l'hôte : les tableaux, où un apply compte aussi ce qu'il attend de l'appareil.</translation></message>
    <message><source>Bytes</source><translation>Octets</translation></message>
    <message><source>Bytes divided by time</source><translation>Octets divisés par le temps</translation></message>
    <message><source>CPU</source><translation>CPU</translation></message>
    <message><source>CPU ops</source><translation>Ops CPU</translation></message>
    <message><source>CPU, %1</source><translation>CPU, %1</translation></message>
    <message><source>CUDA_LAUNCH_BLOCKING=1: the host waits for every kernel</source><translation>CUDA_LAUNCH_BLOCKING=1 : l'hôte attend chaque noyau</translation></message>
    <message><source>Call</source><translation>Appel</translation></message>
    <message><source>Called from</source><translation>Appelé depuis</translation></message>
    <message><source>Calls</source><translation>Appels</translation></message>
    <message><source>Calls of MPI</source><translation>Appels de MPI</translation></message>
    <message><source>Calls of the function, or of its applies together</source><translation>Appels de la fonction, ou de ses apply ensemble</translation></message>
    <message><source>Cancel</source><translation>Annuler</translation></message>
    <message><source>Center</source><translation>Centrer</translation></message>
    <message><source>Chance of such a difference between equal ones, after Holm's correction</source><translation>Chance d'une telle différence entre égaux, après correction de Holm</translation></message>
    <message><source>Change</source><translation>Changement</translation></message>
    <message><source>Change something, and run it</source><translation>Changez quelque chose, et exécutez</translation></message>
    <message><source>Changed since the run: the bars come back with the next one</source><translation>Changé depuis l'exécution : les barres reviennent avec la prochaine</translation></message>
    <message><source>Changes a second</source><translation>Changements par seconde</translation></message>
    <message><source>Check</source><translation>Vérifier</translation></message>
    <message><source>Check my run</source><translation>Vérifier mon exécution</translation></message>
    <message><source>Choice</source><translation>Choix</translation></message>
    <message><source>Choose</source><translation>Choisir</translation></message>
    <message><source>Choose a rewrite: what it changed in the graph is shown here.</source><translation>Choisissez une réécriture : ce qu'elle a changé dans le graphe apparaît ici.</translation></message>
    <message><source>Choose a second session</source><translation>Choisissez une seconde session</translation></message>
    <message><source>Choose a second session: another run, another device, or the same script before a change.</source><translation>Choisissez une deuxième session : une autre exécution, un autre appareil, ou le même script avant un changement.</translation></message>
    <message><source>Choose a step: the part of the graph that it replaced is shown here.</source><translation>Choisissez une étape : la partie du graphe qu'elle a remplacée se montre ici.</translation></message>
    <message><source>Choose device, mode or precision and press Run (%1): the views follow while it runs. Compare (%2) shows what has changed.</source><translation>Choisissez l'appareil, le mode ou la précision et appuyez sur Exécuter (%1) : les vues suivent l'exécution. Comparer (%2) montre ce qui a changé.</translation></message>
    <message><source>Choose one to compare with</source><translation>Choisissez-en une pour comparer</translation></message>
    <message><source>Choose sessions…</source><translation>Choisir des sessions…</translation></message>
    <message><source>Choose the session A</source><translation>Choisir la session A</translation></message>
    <message><source>Choose the session B</source><translation>Choisir la session B</translation></message>
    <message><source>Choose what would be otherwise.</source><translation>Choisissez ce qui serait autrement.</translation></message>
    <message><source>Class</source><translation>Classe</translation></message>
    <message><source>Class name</source><translation>Nom de classe</translation></message>
    <message><source>Class of ops</source><translation>Classe d'ops</translation></message>
    <message><source>Class of the op</source><translation>Classe de l'op</translation></message>
    <message><source>Classes</source><translation>Classes</translation></message>
    <message><source>Clear the range</source><translation>Effacer l'intervalle</translation></message>
    <message><source>Click jumps to where it comes from</source><translation>Un clic saute là d'où il vient</translation></message>
    <message><source>Click nodes in the graph</source><translation>Cliquez des nœuds dans le graphe</translation></message>
    <message><source>Close</source><translation>Fermer</translation></message>
    <message><source>Close (Esc)</source><translation>Fermer (Échap)</translation></message>
    <message><source>Close the group around it</source><translation>Fermer le groupe qui l'entoure</translation></message>
    <message><source>Close the lesson</source><translation>Fermer la leçon</translation></message>
    <message><source>Close the search</source><translation>Fermer la recherche</translation></message>
    <message><source>Code</source><translation>Code</translation></message>
    <message><source>Code belongs to a node: select one</source><translation>Le code appartient à un nœud : choisissez-en un</translation></message>
    <message><source>Code belongs to the optimized graph</source><translation>Le code appartient au graphe optimisé</translation></message>
    <message><source>Code for %1 is generated as it runs; a session does not keep it.</source><translation>Le code pour %1 est généré pendant l'exécution ; une session ne le garde pas.</translation></message>
    <message><source>Collection</source><translation>Collecte</translation></message>
    <message><source>Columns, and the table as a file</source><translation>Colonnes, et le tableau en fichier</translation></message>
    <message><source>Comes from your lines</source><translation>Vient de vos lignes</translation></message>
    <message><source>Comma-separated values (*.csv)</source><translation>Valeurs séparées par des virgules (*.csv)</translation></message>
    <message><source>Command line of this run</source><translation>Ligne de commande de cette exécution</translation></message>
    <message><source>Command of the editor</source><translation>Commande de l'éditeur</translation></message>
    <message><source>Command, view, function, node, rewrite, line or sample</source><translation>Commande, vue, fonction, nœud, réécriture, ligne ou exemple</translation></message>
    <message><source>Compare</source><translation>Comparer</translation></message>
    <message><source>Compare two sessions…</source><translation>Comparer deux sessions…</translation></message>
    <message><source>Compare with %1</source><translation>Comparer avec %1</translation></message>
    <message><source>Comparing</source><translation>Comparaison en cours</translation></message>
    <message><source>Comparing needs two sessions: open one, and choose another.</source><translation>Comparer demande deux sessions : ouvrez-en une, et choisissez-en une autre.</translation></message>
    <message><source>Comparison</source><translation>Comparaison</translation></message>
    <message><source>Compile</source><translation>Compilation</translation></message>
    <message><source>Compile it, call it once and show what comes out</source><translation>La compiler, l'appeler une fois et montrer ce qui en sort</translation></message>
    <message><source>Compile time</source><translation>Temps de compilation</translation></message>
    <message><source>Compile without it</source><translation>Compiler sans elle</translation></message>
    <message><source>Compiled at</source><translation>Compilée à</translation></message>
    <message><source>Compiles the captured call without it, and shows both graphs</source><translation>Compile l'appel capturé sans elle, et montre les deux graphes</translation></message>
    <message><source>Compiling</source><translation>Compilation</translation></message>
    <message><source>Computed again</source><translation>Recalculées</translation></message>
    <message><source>Computed again in place of being kept: what each takes, and what it costs a call</source><translation>Recalculées au lieu d'être gardées : ce que chacune occupe, et ce qu'elle coûte par appel</translation></message>
    <message><source>Copied</source><translation>Copié</translation></message>
    <message><source>Copies</source><translation>Copies</translation></message>
    <message><source>Copy as picture</source><translation>Copier l'image</translation></message>
    <message><source>Copy as text</source><translation>Copier comme texte</translation></message>
    <message><source>Copy exact name</source><translation>Copier le nom exact</translation></message>
    <message><source>Copy link to this view</source><translation>Copier le lien vers cette vue</translation></message>
    <message><source>Copy name</source><translation>Copier le nom</translation></message>
    <message><source>Copy row as text</source><translation>Copier la ligne comme texte</translation></message>
    <message><source>Copy rows as text</source><translation>Copier les lignes comme texte</translation></message>
    <message><source>Copy table as text</source><translation>Copier le tableau comme texte</translation></message>
    <message><source>Copy the command line</source><translation>Copier la ligne de commande</translation></message>
    <message><source>Copy the flag</source><translation>Copier l'option</translation></message>
    <message><source>Copy the picture's numbers as text</source><translation>Copier les nombres de l'image comme texte</translation></message>
    <message><source>Copy the table as text</source><translation>Copier le tableau comme texte</translation></message>
    <message><source>Cost</source><translation>Coût</translation></message>
    <message><source>Count</source><translation>Nombre</translation></message>
    <message><source>Count A</source><translation>Nombre A</translation></message>
    <message><source>Count B</source><translation>Nombre B</translation></message>
    <message><source>Croton %1</source><translation>Croton %1</translation></message>
    <message><source>Croton Studio</source><translation>Croton Studio</translation></message>
    <message><source>Croton could not be built, and without that nothing runs: the terminal of app/run says why.</source><translation>Croton n'a pas pu être construit, et sans cela rien ne s'exécute : le terminal d'app/run dit pourquoi.</translation></message>
    <message><source>Croton is being built</source><translation>Croton est en construction</translation></message>
    <message><source>Croton is being built: %1</source><translation>Croton est en construction : %1</translation></message>
    <message><source>Croton is still being built, and FILE says how far that is: what needs it waits for it. Used by app/run.</source><translation>Croton est encore en construction, et FILE dit où elle en est : ce qui en a besoin attend. Utilisé par app/run.</translation></message>
    <message><source>Cut off</source><translation>Interrompu</translation></message>
    <message><source>Dark</source><translation>Sombre</translation></message>
    <message><source>Descends from</source><translation>Descend de</translation></message>
    <message><source>Details</source><translation>Détails</translation></message>
    <message><source>Device</source><translation>Appareil</translation></message>
    <message><source>Devices</source><translation>Appareils</translation></message>
    <message><source>Difference</source><translation>Différence</translation></message>
    <message><source>Digits</source><translation>Chiffres</translation></message>
    <message><source>Digits lost</source><translation>Chiffres perdus</translation></message>
    <message><source>Direction</source><translation>Sens</translation></message>
    <message><source>Distribution of the times</source><translation>Répartition des temps</translation></message>
    <message><source>Distribution of the values</source><translation>Répartition des valeurs</translation></message>
    <message><source>Do not run</source><translation>Ne pas exécuter</translation></message>
    <message><source>Done</source><translation>Terminer</translation></message>
    <message><source>Done: this run shows it.</source><translation>C’est fait : cette exécution le montre.</translation></message>
    <message><source>Double click goes into its graph, O opens it in place</source><translation>Un double clic entre dans son graphe, O l'ouvre sur place</translation></message>
    <message><source>Double click opens a group, its caption closes it.</source><translation>Un double clic ouvre un groupe, son titre le ferme.</translation></message>
    <message><source>Double click opens it in place</source><translation>Un double clic l'ouvre sur place</translation></message>
    <message><source>Down and up in the list</source><translation>Bas et haut dans la liste</translation></message>
    <message><source>Drag the budget line to where another plan is needed</source><translation>Tirez la ligne du budget là où il faut un autre plan</translation></message>
    <message><source>Drag the line to the memory that there is: which values would be computed again, and what that costs.</source><translation>Tirez la ligne jusqu'à la mémoire disponible : quelles valeurs seraient recalculées, et ce que cela coûte.</translation></message>
    <message><source>Drawing %1…</source><translation>Dessin de %1…</translation></message>
    <message><source>Drawing %1… %2 %</source><translation>Dessin de %1… %2 %</translation></message>
    <message><source>Drop a .py, .json or .croton file</source><translation>Déposez un fichier .py, .json ou .croton</translation></message>
    <message><source>Dtype</source><translation>Dtype</translation></message>
    <message><source>Each mark is a rewrite that changed the graph. Drag the handle, or press %1 and %2: you see what it did and why.</source><translation>Chaque marque est une réécriture qui a changé le graphe. Tirez la poignée, ou appuyez sur %1 et %2 : vous voyez ce qu'elle a fait et pourquoi.</translation></message>
    <message><source>Earlier, later</source><translation>Plus tôt, plus tard</translation></message>
    <message><source>Edit</source><translation>Édition</translation></message>
    <message><source>Edit the script</source><translation>Modifier le script</translation></message>
    <message><source>Edit the script (Ctrl+S saves, Ctrl+R saves and runs)</source><translation>Modifier le script (Ctrl+S enregistre, Ctrl+R enregistre et exécute)</translation></message>
    <message><source>Editor</source><translation>Éditeur</translation></message>
    <message><source>Equal parts are one node (from %1 applies on). Double click opens.</source><translation>Les parties égales forment un nœud (à partir de %1 apply). Un double clic l'ouvre.</translation></message>
    <message><source>Equal parts are one node each, from %1 applies on</source><translation>Les parties égales forment un nœud chacune, à partir de %1 apply</translation></message>
    <message><source>Error</source><translation>Erreur</translation></message>
    <message><source>Error %1</source><translation>Erreur %1</translation></message>
    <message><source>Every apply is a node</source><translation>Chaque apply est un nœud</translation></message>
    <message><source>Every change on the way</source><translation>Chaque changement en chemin</translation></message>
    <message><source>Everything ran on the CPU, so nothing was copied between devices.</source><translation>Tout a tourné sur le CPU, rien n'a donc été copié entre appareils.</translation></message>
    <message><source>Everything ran on the CPU, so nothing was copied between devices. %1: %2</source><translation>Tout a tourné sur le CPU, rien n'a donc été copié entre appareils. %1 : %2</translation></message>
    <message><source>Exact name</source><translation>Nom exact</translation></message>
    <message><source>Exact name of the op with its inputs</source><translation>Nom exact de l'op avec ses entrées</translation></message>
    <message><source>Exact name of the op with its parameters</source><translation>Nom exact de l'op avec ses paramètres</translation></message>
    <message><source>Example</source><translation>Exemple</translation></message>
    <message><source>Examples</source><translation>Exemples</translation></message>
    <message><source>Exercises of the tutorials</source><translation>Exercices des tutoriels</translation></message>
    <message><source>Export the answers</source><translation>Exporter les réponses</translation></message>
    <message><source>Export the answers…</source><translation>Exporter les réponses…</translation></message>
    <message><source>Export the graph picture</source><translation>Exporter l'image du graphe</translation></message>
    <message><source>Export the graph picture…</source><translation>Exporter l'image du graphe…</translation></message>
    <message><source>Export what is found or selected…</source><translation>Exporter ce qui est trouvé ou sélectionné…</translation></message>
    <message><source>Expression</source><translation>Expression</translation></message>
    <message><source>File</source><translation>Fichier</translation></message>
    <message><source>Filter</source><translation>Filtrer</translation></message>
    <message><source>Filter the table by name</source><translation>Filtrer le tableau par nom</translation></message>
    <message><source>Find in the graph</source><translation>Chercher dans le graphe</translation></message>
    <message><source>Find in the graph…</source><translation>Chercher dans le graphe…</translation></message>
    <message><source>Find in the source</source><translation>Chercher dans la source</translation></message>
    <message><source>Find next</source><translation>Chercher le suivant</translation></message>
    <message><source>Find previous</source><translation>Chercher le précédent</translation></message>
    <message><source>Find…</source><translation>Chercher…</translation></message>
    <message><source>Finish</source><translation>Terminer</translation></message>
    <message><source>Fired</source><translation>Appliquée</translation></message>
    <message><source>First steps</source><translation>Premiers pas</translation></message>
    <message><source>First the script is run</source><translation>Le script est d'abord exécuté</translation></message>
    <message><source>First the script is run, to keep the values of some calls.</source><translation>Le script est d'abord exécuté, pour garder les valeurs de quelques appels.</translation></message>
    <message><source>First the script is run: %1</source><translation>Le script est d'abord exécuté : %1</translation></message>
    <message><source>Fit the graph</source><translation>Ajuster le graphe</translation></message>
    <message><source>Fit the whole graph</source><translation>Ajuster tout le graphe</translation></message>
    <message><source>Fit the whole graph (Space)</source><translation>Ajuster tout le graphe (Espace)</translation></message>
    <message><source>Flags</source><translation>Options</translation></message>
    <message><source>Flags and machine are the same.</source><translation>Les options et la machine sont les mêmes.</translation></message>
    <message><source>Flags, and what is known of the machine</source><translation>Les options, et ce qu'on sait de la machine</translation></message>
    <message><source>Flame graph</source><translation>Graphe en flammes</translation></message>
    <message><source>Fold by line</source><translation>Replier par ligne</translation></message>
    <message><source>Fold by scope</source><translation>Replier par portée</translation></message>
    <message><source>Fold large graphs</source><translation>Replier les grands graphes</translation></message>
    <message><source>Fold nothing</source><translation>Ne rien replier</translation></message>
    <message><source>Fold repeated parts</source><translation>Replier les parties répétées</translation></message>
    <message><source>For itself</source><translation>Pour lui-même</translation></message>
    <message><source>For teachers: [two hours with a class](help:teaching), a plan.</source><translation>Pour les enseignants : [deux heures avec une classe](help:teaching), un plan.</translation></message>
    <message><source>For teachers: hide answers, export, print</source><translation>Pour enseigner : cacher les réponses, exporter, imprimer</translation></message>
    <message><source>For the teacher</source><translation>Pour qui enseigne</translation></message>
    <message><source>Forget the answers of this lesson</source><translation>Oublier les réponses à cette leçon</translation></message>
    <message><source>Forward</source><translation>Avancer</translation></message>
    <message><source>Forward (Alt+→)</source><translation>Avancer (Alt+→)</translation></message>
    <message><source>Free values between the calls of a function (config.allow_gc)</source><translation>Libérer les valeurs entre les appels d'une fonction (config.allow_gc)</translation></message>
    <message><source>From</source><translation>De</translation></message>
    <message><source>From here on</source><translation>Et maintenant</translation></message>
    <message><source>From the next start on</source><translation>À partir du prochain démarrage</translation></message>
    <message><source>From the start of its recording to its end</source><translation>Du début à la fin de son enregistrement</translation></message>
    <message><source>From the start of the session</source><translation>Depuis le début de la session</translation></message>
    <message><source>Function</source><translation>Fonction</translation></message>
    <message><source>Function to show.</source><translation>Fonction à montrer.</translation></message>
    <message><source>Function, pass or op</source><translation>Fonction, passe ou op</translation></message>
    <message><source>Functions</source><translation>Fonctions</translation></message>
    <message><source>GPU</source><translation>GPU</translation></message>
    <message><source>GPU ops</source><translation>Ops GPU</translation></message>
    <message><source>GPU ops, simulated</source><translation>Opérations GPU, simulées</translation></message>
    <message><source>Generated code</source><translation>Code généré</translation></message>
    <message><source>Ghosts</source><translation>Fantômes</translation></message>
    <message><source>Go into its graph</source><translation>Entrer dans son graphe</translation></message>
    <message><source>Go to anything</source><translation>Aller n'importe où</translation></message>
    <message><source>Go to anything…</source><translation>Aller n'importe où…</translation></message>
    <message><source>Graph</source><translation>Graphe</translation></message>
    <message><source>Graph as written</source><translation>Graphe tel qu'écrit</translation></message>
    <message><source>Graph key</source><translation>Légende du graphe</translation></message>
    <message><source>Graphviz failed</source><translation>Graphviz a échoué</translation></message>
    <message><source>Graphviz is not installed</source><translation>Graphviz n'est pas installé</translation></message>
    <message><source>Graphviz took too long</source><translation>Graphviz a pris trop de temps</translation></message>
    <message><source>Handout (PDF)…</source><translation>Document à distribuer (PDF)…</translation></message>
    <message><source>Handout with the answers (PDF)…</source><translation>Document avec les réponses (PDF)…</translation></message>
    <message><source>Help</source><translation>Aide</translation></message>
    <message><source>Hide</source><translation>Masquer</translation></message>
    <message><source>Hide answers</source><translation>Cacher les réponses</translation></message>
    <message><source>Hide the passes that changed nothing</source><translation>Cacher les passes qui n'ont rien changé</translation></message>
    <message><source>Hide this notice</source><translation>Cacher cet avis</translation></message>
    <message><source>Hint</source><translation>Indice</translation></message>
    <message><source>History</source><translation>Historique</translation></message>
    <message><source>History of the script</source><translation>Historique du script</translation></message>
    <message><source>Host</source><translation>Machine</translation></message>
    <message><source>Host clock around every apply. The work is done when the apply returns, so the times are its own.</source><translation>Horloge de l'hôte autour de chaque apply. Le travail est fait quand l'apply rend la main, les temps sont donc les siens.</translation></message>
    <message><source>Host clock with CUDA_LAUNCH_BLOCKING=1: each apply waits for its kernel, so times are attributed correctly and include launch cost.</source><translation>Horloge de l'hôte avec CUDA_LAUNCH_BLOCKING=1 : chaque apply attend son noyau, les temps sont donc bien attribués et comprennent le coût du lancement.</translation></message>
    <message><source>Host clock, mean of a call in the steady state</source><translation>Horloge de l'hôte, moyenne d'un appel en régime établi</translation></message>
    <message><source>How far measuring is</source><translation>Avancement de la mesure</translation></message>
    <message><source>How fast %1 is was not measured yet: that takes some seconds, once.</source><translation>La vitesse de %1 n'a pas encore été mesurée : cela prend quelques secondes, une seule fois.</translation></message>
    <message><source>How fast could it be?</source><translation>À quelle vitesse cela pourrait-il aller ?</translation></message>
    <message><source>How good are these times?</source><translation>Que valent ces temps ?</translation></message>
    <message><source>How it was judged</source><translation>Comment il a été jugé</translation></message>
    <message><source>How many applies of the optimized graphs are in this row</source><translation>Combien d'apply des graphes optimisés sont dans cette ligne</translation></message>
    <message><source>How many changes a second are played</source><translation>Combien de changements sont joués par seconde</translation></message>
    <message><source>How many were recorded in the range</source><translation>Combien ont été enregistrés dans l'intervalle</translation></message>
    <message><source>How many were recorded in the range in A</source><translation>Combien ont été enregistrés dans l'intervalle dans A</translation></message>
    <message><source>How many were recorded in the range in B</source><translation>Combien ont été enregistrés dans l'intervalle dans B</translation></message>
    <message><source>How much does each %1 change? The function is compiled again without each one that fired, and all variants run in turn on a captured call. This has not been measured yet.</source><translation>Que change chaque %1 ? La fonction est recompilée sans chacune de celles qui se sont appliquées, et toutes les variantes s'exécutent à tour de rôle sur un appel capturé. Cela n'a pas encore été mesuré.</translation></message>
    <message><source>How much does each rewrite change?</source><translation>Que change chaque réécriture ?</translation></message>
    <message><source>How much faster it could be at its roof; the roof is that of the innermost cache that was measured</source><translation>Combien plus rapide il pourrait être à son toit ; le toit est celui du cache le plus proche qui a été mesuré</translation></message>
    <message><source>How often</source><translation>Combien de fois</translation></message>
    <message><source>How often it ran, all applies together</source><translation>Combien de fois il a tourné, tous les apply ensemble</translation></message>
    <message><source>How often it ran: once for each call of its function, however many applies it made</source><translation>Combien de fois elle a tourné : une fois par appel de sa fonction, quel que soit le nombre de nœuds qu'elle a faits</translation></message>
    <message><source>How often the script is run in one session</source><translation>Combien de fois le script est exécuté dans une session</translation></message>
    <message><source>In all</source><translation>En tout</translation></message>
    <message><source>In all ranks together</source><translation>Dans tous les rangs ensemble</translation></message>
    <message><source>In arena at</source><translation>Dans l'arène à</translation></message>
    <message><source>In calls of MPI</source><translation>Dans les appels de MPI</translation></message>
    <message><source>In calls of functions, without MPI's calls in them</source><translation>Dans les appels de fonctions, sans les appels de MPI qu'ils contiennent</translation></message>
    <message><source>In the flame graph</source><translation>Dans le graphe en flammes</translation></message>
    <message><source>In the graph</source><translation>Dans le graphe</translation></message>
    <message><source>In the order of the arguments, without those shown in the node's title</source><translation>Dans l'ordre des arguments, sans ceux que montre le titre du nœud</translation></message>
    <message><source>In the steps</source><translation>Dans les étapes</translation></message>
    <message><source>In the timeline</source><translation>Dans la chronologie</translation></message>
    <message><source>In thunks; ~ where an apply of several lines is shared out by what its steps cost</source><translation>Dans les thunks ; ~ là où un apply de plusieurs lignes est réparti selon ce que ses pas coûtent</translation></message>
    <message><source>In view, %1</source><translation>Visible, %1</translation></message>
    <message><source>In what memory could be</source><translation>Dans ce que la mémoire pourrait être</translation></message>
    <message><source>In “Rewrite impact”</source><translation>Dans « Effet des réécritures »</translation></message>
    <message><source>Indented by level</source><translation>En retrait selon le niveau</translation></message>
    <message><source>Inputs</source><translation>Entrées</translation></message>
    <message><source>Inputs, shared variables and constants are not counted in the peak</source><translation>Les entrées, variables partagées et constantes ne comptent pas dans le pic</translation></message>
    <message><source>Inspector</source><translation>Inspecteur</translation></message>
    <message><source>It cannot be compiled without it</source><translation>La fonction ne peut pas être compilée sans elle</translation></message>
    <message><source>It cannot be run: %1</source><translation>Il ne peut pas être exécuté : %1</translation></message>
    <message><source>It fired %1</source><translation>Elle s'est appliquée %1</translation></message>
    <message><source>It is %1 in the optimized graph.</source><translation>C'est %1 dans le graphe optimisé.</translation></message>
    <message><source>It is not in this text</source><translation>Ce n'est pas dans ce texte</translation></message>
    <message><source>It may be chance: p = %1</source><translation>C'est peut-être le hasard : p = %1</translation></message>
    <message><source>It was stopped; nothing was kept.</source><translation>La mesure a été arrêtée ; rien n'a été gardé.</translation></message>
    <message><source>Iterations, layers, updates: equal parts are one node</source><translation>Itérations, couches, mises à jour : les parties égales forment un nœud</translation></message>
    <message><source>Its code</source><translation>Son code</translation></message>
    <message><source>Its next step</source><translation>Son étape suivante</translation></message>
    <message><source>Its step before</source><translation>Son étape précédente</translation></message>
    <message><source>Its steps</source><translation>Ses étapes</translation></message>
    <message><source>Its times</source><translation>Ses temps</translation></message>
    <message><source>Its values</source><translation>Ses valeurs</translation></message>
    <message><source>Judged</source><translation>Jugé</translation></message>
    <message><source>Judged by %1 on each side: Mann-Whitney with Holm's correction, and at least %2 of the apply.</source><translation>Jugé sur %1 de chaque côté : Mann-Whitney avec la correction de Holm, et au moins %2 de l'apply.</translation></message>
    <message><source>Judged by single calls: Mann-Whitney with Holm's correction, and at least %1 of the apply, %2 where its operands exceed the innermost cache.</source><translation>Jugé d'après des appels seuls : Mann-Whitney avec la correction de Holm, et au moins %1 de l'apply, %2 là où ses opérandes dépassent le cache le plus proche.</translation></message>
    <message><source>Keep A: the next run becomes B</source><translation>Garder A : la prochaine exécution devient B</translation></message>
    <message><source>Keep B: the next run becomes A</source><translation>Garder B : la prochaine exécution devient A</translation></message>
    <message><source>Keep this content while the selection moves on</source><translation>Garder ce contenu pendant que la sélection change</translation></message>
    <message><source>Keep what the step removed, pale, at its old place</source><translation>Garder ce que l'étape a retiré, pâle, à son ancienne place</translation></message>
    <message><source>Kept on this machine, for this session:</source><translation>Gardée sur cette machine, pour cette session :</translation></message>
    <message><source>Kernel</source><translation>Noyau</translation></message>
    <message><source>Kernels</source><translation>Noyaux</translation></message>
    <message><source>Keys</source><translation>Touches</translation></message>
    <message><source>Kind</source><translation>Genre</translation></message>
    <message><source>Kind of sample</source><translation>Genre d'exemple</translation></message>
    <message><source>Kind of table</source><translation>Genre de tableau</translation></message>
    <message><source>Lane</source><translation>Piste</translation></message>
    <message><source>Language</source><translation>Langue</translation></message>
    <message><source>Large</source><translation>Grands</translation></message>
    <message><source>Largest difference of an output from the reference</source><translation>Plus grande différence d'une sortie avec la référence</translation></message>
    <message><source>Largest number</source><translation>Plus grand nombre</translation></message>
    <message><source>Last position that needs it</source><translation>Dernière position qui en a besoin</translation></message>
    <message><source>Launching, waiting</source><translation>Lancement, attente</translation></message>
    <message><source>Lay out again</source><translation>Disposer de nouveau</translation></message>
    <message><source>Laying out %1</source><translation>Disposition de %1</translation></message>
    <message><source>Learn with lessons</source><translation>Apprendre par des leçons</translation></message>
    <message><source>Leave a path, a search, a selection</source><translation>Quitter un chemin, une recherche, une sélection</translation></message>
    <message><source>Leave the tour</source><translation>Quitter la visite</translation></message>
    <message><source>Left out</source><translation>Omise</translation></message>
    <message><source>Lesson</source><translation>Leçon</translation></message>
    <message><source>Lesson to open: its name, NAME/PAGE, or a file.</source><translation>Leçon à ouvrir : son nom, NOM/PAGE, ou un fichier.</translation></message>
    <message><source>Lessons</source><translation>Leçons</translation></message>
    <message><source>Lessons (*.md)</source><translation>Leçons (*.md)</translation></message>
    <message><source>Level</source><translation>Niveau</translation></message>
    <message><source>Light</source><translation>Clair</translation></message>
    <message><source>Line</source><translation>Ligne</translation></message>
    <message><source>Line %1</source><translation>Ligne %1</translation></message>
    <message><source>Line %1: %2</source><translation>Ligne %1 : %2</translation></message>
    <message><source>Line %1: nothing of this function</source><translation>Ligne %1 : rien de cette fonction</translation></message>
    <message><source>Line in A</source><translation>Ligne dans A</translation></message>
    <message><source>Line in B</source><translation>Ligne dans B</translation></message>
    <message><source>Link to a view of a session:</source><translation>Lien vers une vue d'une session :</translation></message>
    <message><source>Linked</source><translation>Liés</translation></message>
    <message><source>Live</source><translation>Vivant</translation></message>
    <message><source>Longest</source><translation>Le plus long</translation></message>
    <message><source>Looking for a plan within %1</source><translation>Recherche d'un plan dans %1</translation></message>
    <message><source>Loops</source><translation>Boucles</translation></message>
    <message><source>MPI</source><translation>MPI</translation></message>
    <message><source>MPI, moving</source><translation>MPI, transport</translation></message>
    <message><source>Made in</source><translation>Fait dans</translation></message>
    <message><source>Made in phase</source><translation>Fait dans la phase</translation></message>
    <message><source>Magnitude</source><translation>Grandeur</translation></message>
    <message><source>Mark them in the picture.</source><translation>Marquez-les dans l’image.</translation></message>
    <message><source>May run as one kernel with %1. With these arrays that would gain nothing, and each runs alone.</source><translation>Peut tourner comme un noyau avec %1. Avec ces tableaux cela ne gagnerait rien, et chacun tourne seul.</translation></message>
    <message><source>May run as one kernel with %1; with these sizes each runs alone.</source><translation>Peut tourner comme un noyau avec %1 ; avec ces tailles chacun tourne seul.</translation></message>
    <message><source>Mean</source><translation>Moyenne</translation></message>
    <message><source>Measure it</source><translation>Mesurer</translation></message>
    <message><source>Measure its roofs</source><translation>Mesurer ses plafonds</translation></message>
    <message><source>Measure time, memory and error along the steps (croton along)</source><translation>Mesurer temps, mémoire et erreur le long des étapes (croton along)</translation></message>
    <message><source>Measured</source><translation>Mesuré</translation></message>
    <message><source>Measures again, and leaves out the five that matter most two at a time, too</source><translation>Mesure de nouveau, et omet aussi deux par deux les cinq qui comptent le plus</translation></message>
    <message><source>Measuring</source><translation>Mesure en cours</translation></message>
    <message><source>Median %1, 95 % below %2, 99 % below %3; from %4 to %5.</source><translation>Médiane %1, 95 % sous %2, 99 % sous %3 ; de %4 à %5.</translation></message>
    <message><source>Memory</source><translation>Mémoire</translation></message>
    <message><source>Memory %1</source><translation>Mémoire %1</translation></message>
    <message><source>Memory of its own</source><translation>Mémoire à lui</translation></message>
    <message><source>Memory that the plan keeps</source><translation>Mémoire que garde le plan</translation></message>
    <message><source>Middle of its calls, in turns with the others</source><translation>Médiane de ses appels, à tour de rôle avec les autres</translation></message>
    <message><source>Mode</source><translation>Mode</translation></message>
    <message><source>Models</source><translation>Modèles</translation></message>
    <message><source>Module</source><translation>Module</translation></message>
    <message><source>More of this view</source><translation>Plus de cette vue</translation></message>
    <message><source>More settings of the run</source><translation>Plus de réglages de l'exécution</translation></message>
    <message><source>More than chance: p = %1</source><translation>Plus que le hasard : p = %1</translation></message>
    <message><source>Most memory that a call took</source><translation>Le plus de mémoire qu'un appel ait prise</translation></message>
    <message><source>Most that a call takes, as the allocator counts</source><translation>Le plus que prenne un appel, comme compte l'allocateur</translation></message>
    <message><source>Move nothing; mark what changed instead</source><translation>Ne rien déplacer ; marquer plutôt ce qui a changé</translation></message>
    <message><source>Moving bytes</source><translation>Transport d'octets</translation></message>
    <message><source>Name</source><translation>Nom</translation></message>
    <message><source>Name (empty: what the session says itself):</source><translation>Nom (vide : ce que la session dit elle-même) :</translation></message>
    <message><source>Name this session</source><translation>Nommer cette session</translation></message>
    <message><source>Name this session…</source><translation>Nommer cette session…</translation></message>
    <message><source>Neighbours</source><translation>Voisins</translation></message>
    <message><source>Neighbours, the slowest</source><translation>Voisins, les plus lents</translation></message>
    <message><source>Neighbours, three steps</source><translation>Voisins, trois pas</translation></message>
    <message><source>Neither session holds events.</source><translation>Aucune des deux sessions ne contient d'événements.</translation></message>
    <message><source>Neither session holds its script</source><translation>Aucune des sessions ne contient son script</translation></message>
    <message><source>Neither session holds its script.</source><translation>Aucune des sessions ne contient son script.</translation></message>
    <message><source>New window</source><translation>Nouvelle fenêtre</translation></message>
    <message><source>Next</source><translation>Suivant</translation></message>
    <message><source>Next (F3)</source><translation>Suivant (F3)</translation></message>
    <message><source>Next and previous event of the lane</source><translation>Événement suivant et précédent de la piste</translation></message>
    <message><source>Next change</source><translation>Changement suivant</translation></message>
    <message><source>Next change (→)</source><translation>Changement suivant (→)</translation></message>
    <message><source>Next pane</source><translation>Volet suivant</translation></message>
    <message><source>Next phase</source><translation>Phase suivante</translation></message>
    <message><source>Next place</source><translation>Endroit suivant</translation></message>
    <message><source>No apply of A has a partner in B.</source><translation>Aucun apply de A n'a de partenaire dans B.</translation></message>
    <message><source>No call of MPI was seen, so nothing is known of waiting.</source><translation>Aucun appel de MPI n'a été vu : on ne sait rien de l'attente.</translation></message>
    <message><source>No call of this function was looked at: croton values does that</source><translation>Aucun appel de cette fonction n'a été examiné : croton values le fait</translation></message>
    <message><source>No call was planned, so nothing is known of what its memory could be.</source><translation>Aucun appel n'a été planifié : on ne sait rien de ce que sa mémoire pourrait être.</translation></message>
    <message><source>No code was generated for %1: the interpreter and libraries run it.</source><translation>Aucun code n'a été généré pour %1 : l'interpréteur et des bibliothèques l'exécutent.</translation></message>
    <message><source>No code was generated for this node: the interpreter or a library runs it</source><translation>Aucun code n'a été généré pour ce nœud : l'interpréteur ou une bibliothèque l'exécute</translation></message>
    <message><source>No code was generated for this node: the interpreter or a library runs it.</source><translation>Aucun code n'a été généré pour ce nœud : l'interpréteur ou une bibliothèque l'exécute.</translation></message>
    <message><source>No difference that counts</source><translation>Aucune différence qui compte</translation></message>
    <message><source>No function is selected</source><translation>Aucune fonction n'est choisie</translation></message>
    <message><source>No function of A is in B, or it was never called.</source><translation>Aucune fonction de A n'est dans B, ou elle n'a jamais été appelée.</translation></message>
    <message><source>No function of A is in B.</source><translation>Aucune fonction de A n'est dans B.</translation></message>
    <message><source>No function of one is in the other</source><translation>Aucune fonction de l'une n'est dans l'autre</translation></message>
    <message><source>No function was called yet, so no memory was planned or measured.</source><translation>Aucune fonction n'a encore été appelée, aucune mémoire n'a donc été prévue ni mesurée.</translation></message>
    <message><source>No function was called yet, so nothing was copied.</source><translation>Aucune fonction n'a encore été appelée, rien n'a donc été copié.</translation></message>
    <message><source>No function was called yet, so there are no times.</source><translation>Aucune fonction n'a encore été appelée, il n'y a donc pas de temps.</translation></message>
    <message><source>No function was called yet.</source><translation>Aucune fonction n'a encore été appelée.</translation></message>
    <message><source>No function was compiled in any session of this script.</source><translation>Aucune fonction n'a été compilée dans les sessions de ce script.</translation></message>
    <message><source>No function was compiled yet.</source><translation>Aucune fonction n'a encore été compilée.</translation></message>
    <message><source>No heading has these words.</source><translation>Aucun titre ne contient ces mots.</translation></message>
    <message><source>No line is selected, and no script is open.</source><translation>Aucune ligne n'est choisie, et aucun script n'est ouvert.</translation></message>
    <message><source>No node</source><translation>Aucun nœud</translation></message>
    <message><source>No node of this graph is named or numbered %1.</source><translation>Aucun nœud de ce graphe ne s'appelle ou n'est numéroté %1.</translation></message>
    <message><source>No plan that was found takes only %1: the least is %2</source><translation>Aucun plan trouvé ne tient dans %1 : le moindre est %2</translation></message>
    <message><source>No plan that was found takes only %1: the least is %2, with %3</source><translation>Aucun plan trouvé ne tient dans %1 : le moindre est %2, avec %3</translation></message>
    <message><source>No plan that was found takes so little</source><translation>Aucun plan trouvé ne prend si peu</translation></message>
    <message><source>No rank needs clearly more time for itself than the others.</source><translation>Aucun rang n'a besoin de nettement plus de temps pour lui-même que les autres.</translation></message>
    <message><source>No reference: how many digits are right is not known.</source><translation>Pas de référence : on ne sait pas combien de chiffres sont justes.</translation></message>
    <message><source>No rewrite declined at this node</source><translation>Aucune réécriture n'a refusé ce nœud</translation></message>
    <message><source>No rewrite is recorded for this graph.</source><translation>Aucune réécriture n'est enregistrée pour ce graphe.</translation></message>
    <message><source>No rewrite matches. Clear the search to see all.</source><translation>Aucune réécriture ne correspond. Effacez la recherche pour les voir toutes.</translation></message>
    <message><source>No rewrite touched what is selected.</source><translation>Aucune réécriture n'a touché la sélection.</translation></message>
    <message><source>No rewrite touched what is selected. Select a line of the source or a node.</source><translation>Aucune réécriture n'a touché la sélection. Sélectionnez une ligne du source ou un nœud.</translation></message>
    <message><source>No roofs were measured of %1: its applies count as they are.</source><translation>Aucun plafond n'a été mesuré pour %1 : ses apply comptent tels quels.</translation></message>
    <message><source>No run can: no machine has an op at its roof, or without its time.</source><translation>Aucune exécution ne le peut : aucune machine n'a une opération à son plafond, ou sans son temps.</translation></message>
    <message><source>No sample has these words.</source><translation>Aucun exemple n'a ces mots.</translation></message>
    <message><source>No session chosen</source><translation>Aucune session choisie</translation></message>
    <message><source>No session here was recorded with blocking off and on: croton profile --both on a device of CUDA</source><translation>Aucune session ici n'a été enregistrée sans et avec blocage : croton profile --both sur un appareil CUDA</translation></message>
    <message><source>No session here was recorded with blocking off and on: croton profile --both on a device of CUDA records both.</source><translation>Aucune session ici n'a été enregistrée sans et avec blocage : croton profile --both sur un appareil CUDA enregistre les deux.</translation></message>
    <message><source>No session is open.</source><translation>Aucune session n'est ouverte.</translation></message>
    <message><source>Node</source><translation>Nœud</translation></message>
    <message><source>Node to select: its number, its name, original:NAME, or line:N.</source><translation>Nœud à choisir : son numéro, son nom, original:NOM, ou line:N.</translation></message>
    <message><source>Nodes of the graph</source><translation>Nœuds du graphe</translation></message>
    <message><source>Nodes: %1</source><translation>Nœuds : %1</translation></message>
    <message><source>None from the line itself</source><translation>Rien de la ligne elle-même</translation></message>
    <message><source>Not right yet: what is chosen is right, but something is missing.</source><translation>Pas encore juste : ce qui est choisi est juste, mais il manque quelque chose.</translation></message>
    <message><source>Not right. Look again, and mark others.</source><translation>Ce n’est pas juste. Regardez encore, et marquez-en d’autres.</translation></message>
    <message><source>Not right. Look again, and try another answer.</source><translation>Ce n’est pas juste. Regardez encore, et essayez une autre réponse.</translation></message>
    <message><source>Not right. Look again, and try another number.</source><translation>Pas juste. Regardez encore, et essayez un autre nombre.</translation></message>
    <message><source>Not right: %1 is not a number.</source><translation>Pas juste : %1 n'est pas un nombre.</translation></message>
    <message><source>Not right: %1 is too large.</source><translation>Pas juste : %1 est trop grand.</translation></message>
    <message><source>Not right: %1 is too small.</source><translation>Pas juste : %1 est trop petit.</translation></message>
    <message><source>Not right: %1 of %2 found, %3 marked that do not belong to them.</source><translation>Ce n’est pas juste : %1 sur %2 trouvés, %3 marqués à tort.</translation></message>
    <message><source>Not run yet</source><translation>Pas encore exécuté</translation></message>
    <message><source>Not yet.</source><translation>Pas encore.</translation></message>
    <message><source>Note</source><translation>Note</translation></message>
    <message><source>Note on %1</source><translation>Note sur %1</translation></message>
    <message><source>Note…</source><translation>Note…</translation></message>
    <message><source>Nothing colours nodes by “%1”: %2.</source><translation>Rien ne colore les nœuds par « %1 » : %2.</translation></message>
    <message><source>Nothing has all of these words.</source><translation>Rien n'a tous ces mots.</translation></message>
    <message><source>Nothing in common</source><translation>Rien en commun</translation></message>
    <message><source>Nothing is chosen yet.</source><translation>Rien n’est encore choisi.</translation></message>
    <message><source>Nothing is compared by “%1”: %2.</source><translation>Rien n'est comparé par « %1 » : %2.</translation></message>
    <message><source>Nothing is open.</source><translation>Rien n'est ouvert.</translation></message>
    <message><source>Nothing is selected. Click a node, a line of the script or a row of a table.</source><translation>Rien n'est choisi. Cliquez un nœud, une ligne du script ou une ligne d'un tableau.</translation></message>
    <message><source>Nothing is switched off</source><translation>Rien n'est coupé</translation></message>
    <message><source>Nothing was called or compiled yet, so there are no events.</source><translation>Rien n'a encore été appelé ni compilé, il n'y a donc pas d'événements.</translation></message>
    <message><source>Nothing was looked at before.</source><translation>Rien n'a été regardé avant.</translation></message>
    <message><source>Nothing was opened yet</source><translation>Rien n'a encore été ouvert</translation></message>
    <message><source>Nothing with more digits is known for it: its own values are taken as right.</source><translation>On ne connaît rien de plus précis pour lui : ses propres valeurs sont tenues pour justes.</translation></message>
    <message><source>Nothing: every function and apply of one has a partner in the other.</source><translation>Rien : chaque fonction et chaque apply de l'une a un partenaire dans l'autre.</translation></message>
    <message><source>Numerics</source><translation>Numérique</translation></message>
    <message><source>Of arrays that were handed over</source><translation>Des tableaux qui ont été passés</translation></message>
    <message><source>Of computing them again, a call, by the cost model</source><translation>De leur recalcul, par appel, selon le modèle de coût</translation></message>
    <message><source>Of its inputs and outputs</source><translation>De ses entrées et sorties</translation></message>
    <message><source>Of the function's time in thunks, where it is larger</source><translation>Du temps de la fonction dans les thunks, là où il est plus grand</translation></message>
    <message><source>Of the memory; views and what is written over it need none of their own</source><translation>De la mémoire ; les vues et ce qui s'écrit par-dessus n'en demandent pas</translation></message>
    <message><source>Of the optimized graph</source><translation>Du graphe optimisé</translation></message>
    <message><source>Of the script or of a module; an apply of several lines is split among them</source><translation>Du script ou d'un module ; un apply de plusieurs lignes est réparti entre elles</translation></message>
    <message><source>Of the time of all applies</source><translation>Du temps de tous les apply</translation></message>
    <message><source>Of the variable, or of the first output</source><translation>De la variable, ou de la première sortie</translation></message>
    <message><source>Of this window</source><translation>De cette fenêtre</translation></message>
    <message><source>Of what ran on a device by its clock</source><translation>À l'horloge du périphérique pour ce qui y a tourné</translation></message>
    <message><source>Off</source><translation>Sans</translation></message>
    <message><source>Off: %1</source><translation>Coupés : %1</translation></message>
    <message><source>On</source><translation>Avec</translation></message>
    <message><source>On device</source><translation>Sur le périphérique</translation></message>
    <message><source>On this machine, whatever machine the session is of</source><translation>Sur cette machine, quelle que soit celle de la session</translation></message>
    <message><source>On − off</source><translation>Avec − sans</translation></message>
    <message><source>On − off; left of the line blocking is faster, right of it slower</source><translation>Avec − sans ; à gauche de la ligne le blocage est plus rapide, à droite plus lent</translation></message>
    <message><source>One call</source><translation>Un appel</translation></message>
    <message><source>One change back or forth</source><translation>Un changement en arrière ou en avant</translation></message>
    <message><source>One file can be opened, or two sessions (.croton) compared, but %1 files were given.</source><translation>Un fichier peut être ouvert, ou deux sessions (.croton) comparées, mais %1 fichiers ont été donnés.</translation></message>
    <message><source>One node for each function and loop of the script</source><translation>Un nœud par fonction et par boucle du script</translation></message>
    <message><source>One node for each line of the script</source><translation>Un nœud par ligne du script</translation></message>
    <message><source>One node, explained</source><translation>Un nœud, expliqué</translation></message>
    <message><source>One run each: differences of some percent may be chance</source><translation>Une exécution chacune : des différences de quelques pour cent peuvent être le hasard</translation></message>
    <message><source>Only %1</source><translation>Seulement %1</translation></message>
    <message><source>Only a CUDA device can block</source><translation>Seul un appareil CUDA peut bloquer</translation></message>
    <message><source>Only changes</source><translation>Seulement les changements</translation></message>
    <message><source>Only in one</source><translation>D'un seul côté</translation></message>
    <message><source>Only the last %1 are here.</source><translation>Seules les dernières sont ici : %1.</translation></message>
    <message><source>Op name</source><translation>Nom de l'op</translation></message>
    <message><source>Open %1</source><translation>Ouvrir %1</translation></message>
    <message><source>Open a lesson</source><translation>Ouvrir une leçon</translation></message>
    <message><source>Open a lesson file…</source><translation>Ouvrir un fichier de leçon…</translation></message>
    <message><source>Open a link</source><translation>Ouvrir un lien</translation></message>
    <message><source>Open a link…</source><translation>Ouvrir un lien…</translation></message>
    <message><source>Open a script or session</source><translation>Ouvrir un script ou une session</translation></message>
    <message><source>Open a script, session or graph</source><translation>Ouvrir un script, une session ou un graphe</translation></message>
    <message><source>Open down to its slowest apply</source><translation>Ouvrir jusqu'à son apply le plus lent</translation></message>
    <message><source>Open in place</source><translation>Ouvrir sur place</translation></message>
    <message><source>Open in the editor of your choice</source><translation>Ouvrir dans l'éditeur de votre choix</translation></message>
    <message><source>Open it in the editor</source><translation>L'ouvrir dans l'éditeur</translation></message>
    <message><source>Open or close a group</source><translation>Ouvrir ou fermer un groupe</translation></message>
    <message><source>Open or close the panel below</source><translation>Ouvrir ou fermer le panneau du bas</translation></message>
    <message><source>Open recent</source><translation>Ouvrir un récent</translation></message>
    <message><source>Open the line in another editor</source><translation>Ouvrir la ligne dans un autre éditeur</translation></message>
    <message><source>Open the sample</source><translation>Ouvrir l’exemple</translation></message>
    <message><source>Open the sample of this page first: its session has the answer</source><translation>Ouvrez d’abord l’exemple de cette page : sa session a la réponse</translation></message>
    <message><source>Open the session of the rank that is chosen</source><translation>Ouvrir la session du rang choisi</translation></message>
    <message><source>Open this rank</source><translation>Ouvrir ce rang</translation></message>
    <message><source>Open…</source><translation>Ouvrir…</translation></message>
    <message><source>Operations</source><translation>Opérations</translation></message>
    <message><source>Ops</source><translation>Ops</translation></message>
    <message><source>Ops and rewrites of your own</source><translation>Vos propres opérations et réécritures</translation></message>
    <message><source>Optimized</source><translation>Optimisé</translation></message>
    <message><source>Optimized (End)</source><translation>Optimisé (Fin)</translation></message>
    <message><source>Optimized graph</source><translation>Graphe optimisé</translation></message>
    <message><source>Optimized graph of A</source><translation>Graphe optimisé de A</translation></message>
    <message><source>Optimized graph of B</source><translation>Graphe optimisé de B</translation></message>
    <message><source>Or why it has no place</source><translation>Ou pourquoi il n'a pas de place</translation></message>
    <message><source>Original</source><translation>Original</translation></message>
    <message><source>Other devices: not known.</source><translation>Autres appareils : inconnus.</translation></message>
    <message><source>Others</source><translation>Autres</translation></message>
    <message><source>Output</source><translation>Sortie</translation></message>
    <message><source>Outputs</source><translation>Sorties</translation></message>
    <message><source>Outside thunks %1</source><translation>Hors des thunks %1</translation></message>
    <message><source>Over time</source><translation>Au fil du temps</translation></message>
    <message><source>PDF (*.pdf)</source><translation>PDF (*.pdf)</translation></message>
    <message><source>Page %1 of %2</source><translation>Page %1 sur %2</translation></message>
    <message><source>Pairs</source><translation>Paires</translation></message>
    <message><source>Part of it in which another rank had not come yet</source><translation>La part pendant laquelle un autre rang n'était pas encore arrivé</translation></message>
    <message><source>Partly split among several lines by what the ops cost</source><translation>En partie réparti entre plusieurs lignes selon le coût des ops</translation></message>
    <message><source>Pass</source><translation>Passe</translation></message>
    <message><source>Passes</source><translation>Passes</translation></message>
    <message><source>Peak</source><translation>Pic</translation></message>
    <message><source>Peak memory</source><translation>Pic de mémoire</translation></message>
    <message><source>Per call</source><translation>Par appel</translation></message>
    <message><source>Per call by the device's clock</source><translation>Par appel, à l'horloge du périphérique</translation></message>
    <message><source>Per call by the device's clock, with blocking off</source><translation>Par appel selon l'horloge de l'appareil, sans blocage</translation></message>
    <message><source>Per call by the host's clock, which goes on after each launch</source><translation>Par appel selon l'horloge de l'hôte, qui continue après chaque lancement</translation></message>
    <message><source>Per call in A: the middle of the samples</source><translation>Par appel dans A : le milieu des mesures</translation></message>
    <message><source>Per call in B</source><translation>Par appel dans B</translation></message>
    <message><source>Per call of the function</source><translation>Par appel de la fonction</translation></message>
    <message><source>Per call of the function in A</source><translation>Par appel de la fonction dans A</translation></message>
    <message><source>Per call of the function in A: the mean of all calls</source><translation>Par appel de la fonction dans A : la moyenne de tous les appels</translation></message>
    <message><source>Per call of the function in B</source><translation>Par appel de la fonction dans B</translation></message>
    <message><source>Per call with CUDA_LAUNCH_BLOCKING=1, in a run of its own: the host waits for each launch</source><translation>Par appel avec CUDA_LAUNCH_BLOCKING=1, dans une exécution à part : l'hôte attend chaque lancement</translation></message>
    <message><source>Per call, as measured; ▲ or ▼ where it counts, nothing where it may be chance</source><translation>Par appel, tel que mesuré ; ▲ ou ▼ là où cela compte, rien là où ce peut être le hasard</translation></message>
    <message><source>Per call; nothing says whether it may be chance, for the run that waited is one of sums</source><translation>Par appel ; rien ne dit si c'est le hasard, car de l'exécution avec blocage il ne reste que des sommes</translation></message>
    <message><source>Phase</source><translation>Phase</translation></message>
    <message><source>Picture</source><translation>Image</translation></message>
    <message><source>Picture %1:</source><translation>Image %1 :</translation></message>
    <message><source>Pictures (*.svg *.png *.pdf);;Graphviz (*.dot)</source><translation>Images (*.svg *.png *.pdf);;Graphviz (*.dot)</translation></message>
    <message><source>Plain</source><translation>Simple</translation></message>
    <message><source>Planned</source><translation>Prévu</translation></message>
    <message><source>Play the changes</source><translation>Jouer les changements</translation></message>
    <message><source>Play the changes one after the other (Ctrl+P)</source><translation>Jouer les changements l'un après l'autre (Ctrl+P)</translation></message>
    <message><source>Position in execution order</source><translation>Position dans l'ordre d'exécution</translation></message>
    <message><source>Position in the order of execution</source><translation>Position dans l'ordre d'exécution</translation></message>
    <message><source>Position in the order of execution at which it is made</source><translation>Position dans l'ordre d'exécution où il est fait</translation></message>
    <message><source>Predicted</source><translation>Prédit</translation></message>
    <message><source>Present</source><translation>Présenter</translation></message>
    <message><source>Previous (Shift+F3)</source><translation>Précédent (Maj+F3)</translation></message>
    <message><source>Previous change</source><translation>Changement précédent</translation></message>
    <message><source>Previous change (←)</source><translation>Changement précédent (←)</translation></message>
    <message><source>Previous or next phase; in the list, the row above or below</source><translation>Phase précédente ou suivante ; dans la liste, la ligne d'avant ou d'après</translation></message>
    <message><source>Previous pane</source><translation>Volet précédent</translation></message>
    <message><source>Previous phase</source><translation>Phase précédente</translation></message>
    <message><source>Previous place</source><translation>Endroit précédent</translation></message>
    <message><source>Print the manual page.</source><translation>Imprimer la page de manuel.</translation></message>
    <message><source>Print the views, one on a line: name, a tab, title.</source><translation>Écrire les vues, une par ligne : nom, tabulation, titre.</translation></message>
    <message><source>Profile</source><translation>Profil</translation></message>
    <message><source>Profile a script</source><translation>Profiler un script</translation></message>
    <message><source>Profile a script…</source><translation>Profiler un script…</translation></message>
    <message><source>Python's objects, generation %1</source><translation>Objets de Python, génération %1</translation></message>
    <message><source>Python, other</source><translation>Python, autre</translation></message>
    <message><source>Python, outside functions</source><translation>Python, hors des fonctions</translation></message>
    <message><source>Python, waiting</source><translation>Python, attente</translation></message>
    <message><source>Question</source><translation>Question</translation></message>
    <message><source>Quit</source><translation>Quitter</translation></message>
    <message><source>Ranges</source><translation>Intervalles</translation></message>
    <message><source>Rank</source><translation>Rang</translation></message>
    <message><source>Rank %1</source><translation>Rang %1</translation></message>
    <message><source>Ranks</source><translation>Rangs</translation></message>
    <message><source>Rate</source><translation>Débit</translation></message>
    <message><source>Read by</source><translation>Lu par</translation></message>
    <message><source>Read it again</source><translation>Le relire</translation></message>
    <message><source>Reading %1</source><translation>Lecture de %1</translation></message>
    <message><source>Reading %1…</source><translation>Lecture de %1…</translation></message>
    <message><source>Reading the sessions of this script</source><translation>Lecture des sessions de ce script</translation></message>
    <message><source>Ready</source><translation>Prêt</translation></message>
    <message><source>Recent</source><translation>Récents</translation></message>
    <message><source>Reduced motion</source><translation>Moins de mouvement</translation></message>
    <message><source>Repeat</source><translation>Répéter</translation></message>
    <message><source>Reset layout</source><translation>Rétablir la disposition</translation></message>
    <message><source>Reveal</source><translation>Révéler</translation></message>
    <message><source>Rewrite</source><translation>Réécriture</translation></message>
    <message><source>Rewrite impact</source><translation>Effet des réécritures</translation></message>
    <message><source>Rewrite, phase, reason or number</source><translation>Réécriture, phase, raison ou numéro</translation></message>
    <message><source>Rewrites</source><translation>Réécritures</translation></message>
    <message><source>Rewrites by phase, and tags</source><translation>Réécritures par phase, et étiquettes</translation></message>
    <message><source>Rewrites of the next run</source><translation>Réécritures de la prochaine exécution</translation></message>
    <message><source>Rewrites that changed the graph, by phase and pass</source><translation>Réécritures qui ont changé le graphe, par phase et passe</translation></message>
    <message><source>Rewrites −%1</source><translation>Réécritures −%1</translation></message>
    <message><source>Rewrites…</source><translation>Réécritures…</translation></message>
    <message><source>Right.</source><translation>Juste.</translation></message>
    <message><source>Right: %1.</source><translation>Juste : %1.</translation></message>
    <message><source>Right: all %n, and no other.</source><translation>Juste : tous les %n, et aucun autre.</translation></message>
    <message><source>Right: this one, and no other.</source><translation>Juste : celui-ci, et aucun autre.</translation></message>
    <message><source>Roofline</source><translation>Toits</translation></message>
    <message><source>Run</source><translation>Exécuter</translation></message>
    <message><source>Run %1 and record it</source><translation>Exécuter %1 et l'enregistrer</translation></message>
    <message><source>Run a sample on this machine while its recorded session is shown</source><translation>Exécuter un exemple sur cette machine pendant que sa session enregistrée s'affiche</translation></message>
    <message><source>Run bar</source><translation>Barre d'exécution</translation></message>
    <message><source>Run by</source><translation>Exécuté par</translation></message>
    <message><source>Run finished, but not recorded as a whole</source><translation>Exécution finie, mais pas enregistrée en entier</translation></message>
    <message><source>Run finished: %1 in %2</source><translation>Exécution finie : %1 en %2</translation></message>
    <message><source>Run killed</source><translation>Exécution tuée</translation></message>
    <message><source>Run not started</source><translation>Exécution non lancée</translation></message>
    <message><source>Run on this machine just now. %1</source><translation>Exécuté sur cette machine à l'instant. %1</translation></message>
    <message><source>Run stopped</source><translation>Exécution arrêtée</translation></message>
    <message><source>Run the script first: the session of the run says whether it is done</source><translation>Exécutez d’abord le script : la session dit si c’est fait</translation></message>
    <message><source>Run the script in a worker (Ctrl+R)</source><translation>Exécuter le script dans un processus à part (Ctrl+R)</translation></message>
    <message><source>Run the script that is given, as the button does.</source><translation>Exécuter le script donné, comme le fait le bouton.</translation></message>
    <message><source>Run with %1</source><translation>Exécuter avec %1</translation></message>
    <message><source>Run with it and compare</source><translation>Exécuter avec et comparer</translation></message>
    <message><source>Run without %1</source><translation>Exécuter sans %1</translation></message>
    <message><source>Running</source><translation>En cours</translation></message>
    <message><source>Running for %1</source><translation>En cours depuis %1</translation></message>
    <message><source>Runs as one kernel with %1.</source><translation>Tourne comme un noyau avec %1.</translation></message>
    <message><source>Runs as one kernel with %1. Its time is its part of that, as some of the calls measured it or, where it cannot be told apart, as the cost model estimates it.</source><translation>Tourne comme un noyau avec %1. Son temps est sa part de celui-ci, telle que quelques appels l'ont mesurée ou, là où elle ne se distingue pas, telle que le modèle de coût l'estime.</translation></message>
    <message><source>Runs the script once for each line that a flag makes so</source><translation>Exécute le script une fois pour chaque ligne qu'une option réalise</translation></message>
    <message><source>Runs the script so, and compares</source><translation>Exécute le script ainsi, et compare</translation></message>
    <message><source>Runs the script with %1</source><translation>Exécute le script avec %1</translation></message>
    <message><source>Samples</source><translation>Exemples</translation></message>
    <message><source>Save the script</source><translation>Enregistrer le script</translation></message>
    <message><source>Save the table</source><translation>Enregistrer le tableau</translation></message>
    <message><source>Save the table as CSV…</source><translation>Enregistrer le tableau en CSV…</translation></message>
    <message><source>Script</source><translation>Script</translation></message>
    <message><source>Script %1, outside functions %2</source><translation>Script %1, hors des fonctions %2</translation></message>
    <message><source>Script failed</source><translation>Le script a échoué</translation></message>
    <message><source>Script failed: %1</source><translation>Le script a échoué : %1</translation></message>
    <message><source>Scripts (*.py);;All files (*)</source><translation>Scripts (*.py);;Tous les fichiers (*)</translation></message>
    <message><source>Scripts that differ in %1 lines</source><translation>Des scripts qui diffèrent de %1 lignes</translation></message>
    <message><source>Scripts that differ in one line</source><translation>Des scripts qui diffèrent d'une ligne</translation></message>
    <message><source>Scripts, sessions and graphs (*.py *.croton *.json);;All files (*)</source><translation>Scripts, sessions et graphes (*.py *.croton *.json);;Tous les fichiers (*)</translation></message>
    <message><source>Search</source><translation>Chercher</translation></message>
    <message><source>Search in the help</source><translation>Chercher dans l'aide</translation></message>
    <message><source>Search in the keys</source><translation>Chercher dans les touches</translation></message>
    <message><source>Search in the samples</source><translation>Chercher dans les exemples</translation></message>
    <message><source>Search names, tags and reasons</source><translation>Chercher noms, étiquettes et raisons</translation></message>
    <message><source>Search ops, lines and functions</source><translation>Chercher ops, lignes et fonctions</translation></message>
    <message><source>Searching…</source><translation>Recherche…</translation></message>
    <message><source>See the step</source><translation>Voir l’étape</translation></message>
    <message><source>See what a compiler makes of your expressions</source><translation>Voyez ce qu'un compilateur fait de vos expressions</translation></message>
    <message><source>Select a node to see its code.</source><translation>Choisissez un nœud pour voir son code.</translation></message>
    <message><source>Select the node that has the ring</source><translation>Choisir le nœud qui a l'anneau</translation></message>
    <message><source>Session</source><translation>Session</translation></message>
    <message><source>Session complete</source><translation>Session complète</translation></message>
    <message><source>Session to compare</source><translation>Session à comparer</translation></message>
    <message><source>Sessions (*.croton)</source><translation>Sessions (*.croton)</translation></message>
    <message><source>Setting</source><translation>Réglage</translation></message>
    <message><source>Settings</source><translation>Réglages</translation></message>
    <message><source>Settings…</source><translation>Réglages…</translation></message>
    <message><source>Shape</source><translation>Forme</translation></message>
    <message><source>Share</source><translation>Part</translation></message>
    <message><source>Share of the function's time in thunks</source><translation>Part du temps de la fonction dans les thunks</translation></message>
    <message><source>Share of the range; lanes run beside each other, so each sums up by itself</source><translation>Part de l'intervalle ; les pistes courent côte à côte, chacune s'additionne donc à part</translation></message>
    <message><source>Share of the time in all thunks</source><translation>Part du temps de tous les thunks</translation></message>
    <message><source>Share of the time of all that was made by the line and by what it calls</source><translation>Part du temps de tout ce que la ligne et ce qu’elle appelle ont créé</translation></message>
    <message><source>Share of the time spent in all thunks</source><translation>Part du temps passé dans tous les thunks</translation></message>
    <message><source>Share of this row and all rows above it, in the order of time</source><translation>Part de cette ligne et de toutes celles au-dessus, dans l'ordre du temps</translation></message>
    <message><source>Share of what is held when most is held</source><translation>Part de ce qui est tenu quand le plus est tenu</translation></message>
    <message><source>Shared with</source><translation>Partagé avec</translation></message>
    <message><source>Show a solution</source><translation>Montrer une solution</translation></message>
    <message><source>Show all %1</source><translation>Tout afficher (%1)</translation></message>
    <message><source>Show everything (Space)</source><translation>Tout montrer (Espace)</translation></message>
    <message><source>Show evidence</source><translation>Montrer les preuves</translation></message>
    <message><source>Show graph</source><translation>Voir le graphe</translation></message>
    <message><source>Show in</source><translation>Montrer dans</translation></message>
    <message><source>Show in the graph</source><translation>Montrer dans le graphe</translation></message>
    <message><source>Show its times</source><translation>Montrer ses temps</translation></message>
    <message><source>Show line</source><translation>Montrer la ligne</translation></message>
    <message><source>Show nothing else</source><translation>Ne montrer rien d'autre</translation></message>
    <message><source>Show on both sides what belongs to the selected node</source><translation>Montrer des deux côtés ce qui appartient au nœud choisi</translation></message>
    <message><source>Show that run</source><translation>Montrer cette exécution</translation></message>
    <message><source>Show the first %1 only</source><translation>Afficher seulement les %1 premiers</translation></message>
    <message><source>Show the nodes as a table</source><translation>Montrer les nœuds en tableau</translation></message>
    <message><source>Show the rest again</source><translation>Montrer de nouveau le reste</translation></message>
    <message><source>Show the steps of the rewriting</source><translation>Montrer les étapes de la réécriture</translation></message>
    <message><source>Show the steps that touched what the line made, or what became of that</source><translation>Montrer les étapes qui ont touché ce que la ligne a fait, ou ce que c'est devenu</translation></message>
    <message><source>Show the version.</source><translation>Montrer la version.</translation></message>
    <message><source>Show this help.</source><translation>Montrer cette aide.</translation></message>
    <message><source>Show value</source><translation>Voir la valeur</translation></message>
    <message><source>Show what line %1 became</source><translation>Montrer ce que la ligne %1 est devenue</translation></message>
    <message><source>Shows what a compiler makes of tensor expressions: graphs, rewrites, times.</source><translation>Montre ce qu'un compilateur fait d'expressions de tenseurs : graphes, réécritures, temps.</translation></message>
    <message><source>Side</source><translation>Côté</translation></message>
    <message><source>Since then</source><translation>Depuis</translation></message>
    <message><source>Size</source><translation>Taille</translation></message>
    <message><source>Size of the window, e.g. 1440x900.</source><translation>Taille de la fenêtre, p. ex. 1440x900.</translation></message>
    <message><source>Some collective calls are not known of all their ranks, so it is not known which rank the others wait for.</source><translation>Certains appels collectifs ne sont pas connus de tous leurs rangs : on ne sait pas quel rang les autres attendent.</translation></message>
    <message><source>Something else is being measured: wait for it, or stop it.</source><translation>Autre chose est en cours de mesure : attendez, ou arrêtez.</translation></message>
    <message><source>Something is being measured</source><translation>Une mesure est en cours</translation></message>
    <message><source>Something is being measured, and a run would disturb it. Wait for it, or stop it.</source><translation>Une mesure est en cours, et une exécution la fausserait. Attendez, ou arrêtez-la.</translation></message>
    <message><source>Source</source><translation>Source</translation></message>
    <message><source>Stays taken until the next call</source><translation>Reste pris jusqu'à l'appel suivant</translation></message>
    <message><source>Step</source><translation>Étape</translation></message>
    <message><source>Step %1</source><translation>Étape %1</translation></message>
    <message><source>Step %1 of %2</source><translation>Étape %1 sur %2</translation></message>
    <message><source>Step %1 · %2, changes: %3</source><translation>Étape %1 · %2, changements : %3</translation></message>
    <message><source>Step of the rewriting to show: a number, first or last.</source><translation>Étape de la réécriture à montrer : un nombre, first ou last.</translation></message>
    <message><source>Steps</source><translation>Étapes</translation></message>
    <message><source>Steps of line %1</source><translation>Étapes de la ligne %1</translation></message>
    <message><source>Steps of the selected line or node</source><translation>Étapes de la ligne ou du nœud sélectionnés</translation></message>
    <message><source>Steps that it made</source><translation>Étapes qu'elle a faites</translation></message>
    <message><source>Stop</source><translation>Arrêter</translation></message>
    <message><source>Stop the worker; what was recorded stays</source><translation>Arrêter le processus ; ce qui a été enregistré reste</translation></message>
    <message><source>Sum %</source><translation>Somme %</translation></message>
    <message><source>Summary</source><translation>Résumé</translation></message>
    <message><source>Sure</source><translation>Sûr</translation></message>
    <message><source>Swap A and B</source><translation>Échanger A et B</translation></message>
    <message><source>Switch all on</source><translation>Tout rétablir</translation></message>
    <message><source>Switch off and run</source><translation>Désactiver et exécuter</translation></message>
    <message><source>Switch rewrites off for the next run</source><translation>Couper des réécritures pour la prochaine exécution</translation></message>
    <message><source>System</source><translation>Système</translation></message>
    <message><source>Table</source><translation>Tableau</translation></message>
    <message><source>Tables (*.csv)</source><translation>Tableaux (*.csv)</translation></message>
    <message><source>Tables, timeline, flame graph and memory open from this strip. All on one page, with advice on what to change: Profile (%1).</source><translation>Tables, chronologie, graphe en flammes et mémoire s'ouvrent depuis cette bande. Tout sur une page, avec des conseils sur ce qu'il faut changer : Profil (%1).</translation></message>
    <message><source>Tag</source><translation>Étiquette</translation></message>
    <message><source>Tags</source><translation>Étiquettes</translation></message>
    <message><source>Tags, and what it is for</source><translation>Étiquettes, et à quoi elle sert</translation></message>
    <message><source>Take the mark away</source><translation>Enlever la marque</translation></message>
    <message><source>Teacher's notes</source><translation>Notes pour qui enseigne</translation></message>
    <message><source>Text</source><translation>Texte</translation></message>
    <message><source>Text size</source><translation>Taille du texte</translation></message>
    <message><source>Text size in percent, 80 to 200.</source><translation>Taille du texte en pour cent, 80 à 200.</translation></message>
    <message><source>That made the step; 0 is the graph as written</source><translation>Qui a fait l'étape ; 0 est le graphe tel qu'écrit</translation></message>
    <message><source>The answer of “croton devices” has no device. Install or build Croton again.</source><translation>La réponse de « croton devices » ne contient aucun appareil. Réinstallez ou recompilez Croton.</translation></message>
    <message><source>The apply that copies</source><translation>L'apply qui copie</translation></message>
    <message><source>The call itself, the order of its applies, Python: it stays as it is</source><translation>L'appel lui-même, l'ordre de ses apply, Python : cela reste tel quel</translation></message>
    <message><source>The catalogue of this session does not describe this rewrite.</source><translation>Le catalogue de cette session ne décrit pas cette réécriture.</translation></message>
    <message><source>The desktop has no program for %1: choose an editor in Edit ▸ Settings.</source><translation>Le bureau n'a pas de programme pour %1 : choisissez un éditeur dans Édition ▸ Réglages.</translation></message>
    <message><source>The device that does the work; copy: a transfer between devices</source><translation>L'appareil qui fait le travail ; copie : un transfert entre appareils</translation></message>
    <message><source>The documentation is not beside this program.</source><translation>La documentation n'est pas à côté de ce programme.</translation></message>
    <message><source>The editor %1 could not be started: choose another in Edit ▸ Settings.</source><translation>L'éditeur %1 n'a pas pu être lancé : choisissez-en un autre dans Édition ▸ Réglages.</translation></message>
    <message><source>The expression could not be compiled.</source><translation>L'expression n'a pas pu être compilée.</translation></message>
    <message><source>The file of the lines</source><translation>Le fichier des lignes</translation></message>
    <message><source>The first %1 of the call came in here</source><translation>Le premier %1 de l'appel est entré ici</translation></message>
    <message><source>The first %1 of the call was born here</source><translation>Le premier %1 de l'appel est né ici</translation></message>
    <message><source>The first %1 of the call was born in its step %2</source><translation>Le premier %1 de l'appel est né dans son étape %2</translation></message>
    <message><source>The function could not be compiled without it.</source><translation>La fonction n'a pas pu être compilée sans elle.</translation></message>
    <message><source>The graph as the script wrote it, before the first rewrite.</source><translation>Le graphe tel que le script l'a écrit, avant la première réécriture.</translation></message>
    <message><source>The graph as written, and the one that runs: the hotter the colour of a node, the longer it takes. Click one to see where it comes from. The wheel zooms, dragging moves.</source><translation>Le graphe tel qu'écrit, et celui qui s'exécute : plus la couleur d'un nœud est chaude, plus il prend de temps. Cliquez-en un pour voir d'où il vient. La molette zoome, tirer déplace.</translation></message>
    <message><source>The graph is that without %1</source><translation>Le graphe est celui sans %1</translation></message>
    <message><source>The graph of this function is not recorded yet.</source><translation>Le graphe de cette fonction n'est pas encore enregistré.</translation></message>
    <message><source>The handout is written: %1</source><translation>Le document est écrit : %1</translation></message>
    <message><source>The language is en or fr, not “%1”.</source><translation>La langue est en ou fr, pas « %1 ».</translation></message>
    <message><source>The layout did not come to rest within %1 seconds.</source><translation>La disposition n'est pas venue au repos en %1 secondes.</translation></message>
    <message><source>The least budget, as it is</source><translation>Le moindre budget, tel quel</translation></message>
    <message><source>The lesson cannot be printed: %1. `croton lesson check` says what to mend.</source><translation>La leçon ne peut être imprimée : %1. `croton lesson check` dit quoi corriger.</translation></message>
    <message><source>The line above or below, and its graphs</source><translation>La ligne au-dessus ou au-dessous, et ses graphes</translation></message>
    <message><source>The lines as a table</source><translation>Les courbes en tableau</translation></message>
    <message><source>The link %1 leads nowhere in the studio.</source><translation>Le lien %1 ne mène nulle part dans le studio.</translation></message>
    <message><source>The longest one, also where it reaches out of the range</source><translation>Le plus long, même s'il dépasse de l'intervalle</translation></message>
    <message><source>The op with all its parameters</source><translation>L'op avec tous ses paramètres</translation></message>
    <message><source>The others wait for rank %1: it needs %2 for itself, %3 more than the middle of the others, most of it %4.</source><translation>Les autres attendent le rang %1 : il lui faut %2 pour lui-même, %3 de plus que la médiane des autres, surtout %4.</translation></message>
    <message><source>The phase of the compiler that made it; empty: as written</source><translation>La phase du compilateur qui l'a fait ; vide : tel qu'écrit</translation></message>
    <message><source>The picture is on the clipboard.</source><translation>L'image est dans le presse-papiers.</translation></message>
    <message><source>The picture is too large for a PNG. Export SVG or PDF instead.</source><translation>L'image est trop grande pour un PNG. Exportez plutôt en SVG ou PDF.</translation></message>
    <message><source>The picture is too large for the clipboard. Export it as SVG instead.</source><translation>L'image est trop grande pour le presse-papiers. Exportez-la plutôt en SVG.</translation></message>
    <message><source>The picture is written: %1</source><translation>L'image est écrite : %1</translation></message>
    <message><source>The pprint notation: name: type, then expressions, separated by semicolons.</source><translation>La notation de pprint : nom : type, puis des expressions, séparées par des points-virgules.</translation></message>
    <message><source>The program croton crashed while it measured.</source><translation>Le programme croton s'est interrompu pendant la mesure.</translation></message>
    <message><source>The program croton ended with status %1.</source><translation>Le programme croton s'est terminé avec le statut %1.</translation></message>
    <message><source>The program croton was found neither beside the studio nor on the PATH; build or install it to run scripts.</source><translation>Le programme croton n'a été trouvé ni à côté du studio ni dans le PATH ; construisez-le ou installez-le pour exécuter des scripts.</translation></message>
    <message><source>The rewrite, pass or tag without which the call was compiled and run</source><translation>La réécriture, la passe ou l'étiquette sans laquelle l'appel a été compilé et exécuté</translation></message>
    <message><source>The run left no session.</source><translation>L'exécution n'a pas laissé de session.</translation></message>
    <message><source>The run still goes on; the picture shows what is there.</source><translation>L'exécution continue ; l'image montre ce qui est là.</translation></message>
    <message><source>The run was ended by SIG%1; what was recorded until then is shown.</source><translation>L'exécution a été terminée par SIG%1 ; ce qui a été enregistré jusque-là est montré.</translation></message>
    <message><source>The run was stopped; what was recorded until then is shown.</source><translation>L'exécution a été arrêtée ; ce qui a été enregistré jusque-là est montré.</translation></message>
    <message><source>The same script</source><translation>Le même script</translation></message>
    <message><source>The same without the shift that all applies share</source><translation>Le même sans le décalage que tous les apply ont en commun</translation></message>
    <message><source>The sample %1 is being opened …</source><translation>L’exemple %1 s’ouvre …</translation></message>
    <message><source>The script ended before it compiled a function.</source><translation>Le script s'est terminé avant d'avoir compilé une fonction.</translation></message>
    <message><source>The script ended with an error (exit status %1).</source><translation>Le script s'est terminé par une erreur (code de sortie %1).</translation></message>
    <message><source>The script ended with an error: %1</source><translation>Le script s'est terminé par une erreur : %1</translation></message>
    <message><source>The script of this recording is not on this machine, so nothing can be run.</source><translation>Le script de cet enregistrement n'est pas sur cette machine : rien ne peut être exécuté.</translation></message>
    <message><source>The script of this session is not on this machine, so it cannot be edited</source><translation>Le script de cette session n'est pas sur cette machine, il ne peut donc pas être modifié</translation></message>
    <message><source>The script printed nothing.</source><translation>Le script n'a rien écrit.</translation></message>
    <message><source>The script runs: this can be measured when it has ended.</source><translation>Le script s'exécute : cela pourra être mesuré quand il sera terminé.</translation></message>
    <message><source>The script sets %1 itself: what is chosen here does not change it</source><translation>Le script règle %1 lui-même : ce qui est choisi ici n'y change rien</translation></message>
    <message><source>The script was not recorded yet: its sessions stand here.</source><translation>Le script n'a pas encore été enregistré : ses sessions se trouvent ici.</translation></message>
    <message><source>The script was not run: %1.</source><translation>Le script n'a pas été exécuté : %1.</translation></message>
    <message><source>The scripts are the same.</source><translation>Les scripts sont les mêmes.</translation></message>
    <message><source>The session could not be read: %1</source><translation>La session n'a pas pu être lue : %1</translation></message>
    <message><source>The session joins its history when its run has ended.</source><translation>La session rejoint son historique quand son exécution est finie.</translation></message>
    <message><source>The session that has it</source><translation>La session qui l'a</translation></message>
    <message><source>The sessions could not be compared: %1</source><translation>Les sessions n'ont pas pu être comparées : %1</translation></message>
    <message><source>The share of time is estimated: by what each step of the kernel costs on this machine, from the measured time of its functions for an element and of the bytes it moves</source><translation>La part du temps est estimée : d'après ce que chaque pas du noyau coûte sur cette machine, du temps mesuré de ses fonctions pour un élément et des octets qu'il déplace</translation></message>
    <message><source>The size must lie between 640x400 and 8192x8192, not %1.</source><translation>La taille doit être entre 640x400 et 8192x8192, pas %1.</translation></message>
    <message><source>The size of a thumbnail is a number of pixels from 16 to 2048, not “%1”.</source><translation>La taille d’une vignette est un nombre de pixels de 16 à 2048, pas « %1 ».</translation></message>
    <message><source>The size “%1” is not of the form 1440x900.</source><translation>La taille « %1 » n'est pas de la forme 1440x900.</translation></message>
    <message><source>The sizes of this function's values are not known: it was not called</source><translation>Les tailles des valeurs de cette fonction ne sont pas connues : elle n'a pas été appelée</translation></message>
    <message><source>The step is a number, first or last, not “%1”.</source><translation>L'étape est un nombre, first ou last, pas « %1 ».</translation></message>
    <message><source>The steps of the function that it made</source><translation>Les étapes de la fonction qu'elle a faites</translation></message>
    <message><source>The steps of this graph do not name it.</source><translation>Les étapes de ce graphe ne la nomment pas.</translation></message>
    <message><source>The stop of the tour is a number from 1 on, not “%1”.</source><translation>L'étape de la visite est un nombre à partir de 1, pas « %1 ».</translation></message>
    <message><source>The text size is a percentage from 80 to 200, not “%1”.</source><translation>La taille du texte est un pourcentage de 80 à 200, pas « %1 ».</translation></message>
    <message><source>The theme is light or dark, not “%1”.</source><translation>Le thème est light ou dark, pas « %1 ».</translation></message>
    <message><source>The variable, or the op that makes it</source><translation>La variable, ou l'op qui la fait</translation></message>
    <message><source>The view %1 needs a file: croton-studio FILE --screenshot …</source><translation>La vue %1 demande un fichier : croton-studio FICHIER --screenshot …</translation></message>
    <message><source>The view “%1” cannot be shown. %2.</source><translation>La vue « %1 » ne peut pas être montrée. %2.</translation></message>
    <message><source>The view “%1” has neither a widget nor a sentence why it is missing.</source><translation>La vue « %1 » n'a ni élément ni phrase qui dise pourquoi elle manque.</translation></message>
    <message><source>The view “%1” stands in a workspace “%2” that no page opens; there are %3.</source><translation>La vue « %1 » est dans un espace « %2 » qu'aucune page n'ouvre ; il y a %3.</translation></message>
    <message><source>The whole time</source><translation>Tout le temps</translation></message>
    <message><source>The worker crashed (%1); what it had recorded until then is shown.</source><translation>Le processus s'est effondré (%1) ; ce qu'il avait enregistré jusque-là est montré.</translation></message>
    <message><source>The worker did not understand its command line.</source><translation>Le processus n'a pas compris sa ligne de commande.</translation></message>
    <message><source>The worker was killed, often for want of memory; what it had recorded is shown.</source><translation>Le processus a été tué, souvent faute de mémoire ; ce qu'il avait enregistré est montré.</translation></message>
    <message><source>Theme</source><translation>Thème</translation></message>
    <message><source>There are no lessons beside this program. They come with the package croton-studio.</source><translation>Il n’y a pas de leçons auprès de ce programme. Elles viennent avec le paquet croton-studio.</translation></message>
    <message><source>There is no file %1 on this machine.</source><translation>Il n'y a pas de fichier %1 sur cette machine.</translation></message>
    <message><source>There is no file %1.</source><translation>Il n'y a pas de fichier %1.</translation></message>
    <message><source>There is no function whose steps could be run</source><translation>Il n'y a pas de fonction dont les étapes puissent être exécutées</translation></message>
    <message><source>There is no lesson “%1”. The list has those that there are.</source><translation>Il n’y a pas de leçon « %1 ». La liste montre celles qu’il y a.</translation></message>
    <message><source>There is no number yet.</source><translation>Il n’y a pas encore de nombre.</translation></message>
    <message><source>There is no recorded session of the sample %1 beside this program.</source><translation>Il n’y a pas de session enregistrée de l’exemple %1 auprès de ce programme.</translation></message>
    <message><source>There is no recording to measure anything of: run the script first.</source><translation>Il n'y a pas d'enregistrement à mesurer : exécutez d'abord le script.</translation></message>
    <message><source>There is no script to run, or it runs already</source><translation>Il n'y a pas de script à exécuter, ou il s'exécute déjà</translation></message>
    <message><source>There is no step %1: the steps of this graph are 0 to %2.</source><translation>Il n'y a pas d'étape %1 : les étapes de ce graphe vont de 0 à %2.</translation></message>
    <message><source>There is no view “%1”; the views are %2.</source><translation>Il n'y a pas de vue « %1 » ; les vues sont %2.</translation></message>
    <message><source>There is nothing to give a tour of.</source><translation>Il n'y a rien à visiter.</translation></message>
    <message><source>This graph has no recorded steps.</source><translation>Ce graphe n'a pas d'étapes enregistrées.</translation></message>
    <message><source>This graph is not recorded.</source><translation>Ce graphe n'est pas enregistré.</translation></message>
    <message><source>This is no link to a view: it must begin with croton:view?</source><translation>Ce n'est pas un lien vers une vue : il doit commencer par croton:view?</translation></message>
    <message><source>This is rank %1 of a job; the session of its lowest rank holds them all. `croton ranks -o job.croton` and the sessions of all ranks make one.</source><translation>C'est le rang %1 d'un travail ; la session de son premier rang les contient tous. `croton ranks -o job.croton` et les sessions de tous les rangs en font une.</translation></message>
    <message><source>This is the graph as written. Go to a step to see what it replaced.</source><translation>Voici le graphe tel qu'écrit. Allez à une étape pour voir ce qu'elle a remplacé.</translation></message>
    <message><source>This is what leaving out one at a time costs, added up. What lies between it and all of them left out at once no single one explains.</source><translation>C'est la somme de ce que coûte chaque omission seule. Ce qui la sépare de l'omission de toutes à la fois, aucune ne l'explique seule.</translation></message>
    <message><source>This leads into a session, and none is open. Open the sample of the page.</source><translation>Ceci mène dans une session, et aucune n’est ouverte. Ouvrez l’exemple de la page.</translation></message>
    <message><source>This link names no session, and none is open.</source><translation>Ce lien ne nomme pas de session, et aucune n'est ouverte.</translation></message>
    <message><source>This link names no session: give the file before it.</source><translation>Ce lien ne nomme pas de session : donnez le fichier avant lui.</translation></message>
    <message><source>This machine</source><translation>Cette machine</translation></message>
    <message><source>This page is about the sample %1. Its numbers and questions wait for that.</source><translation>Cette page parle de l’exemple %1. Ses nombres et ses questions l’attendent.</translation></message>
    <message><source>This recording kept no values of calls, and its script is not on this machine: record it with croton profile --capture.</source><translation>Cet enregistrement n'a gardé aucune valeur d'appel, et son script n'est pas sur cette machine : enregistrez-le avec croton profile --capture.</translation></message>
    <message><source>This recording kept no values of its calls</source><translation>Cet enregistrement n'a gardé aucune valeur de ses appels</translation></message>
    <message><source>This sample has run on this machine meanwhile.</source><translation>Cet exemple s'est exécuté sur cette machine entre-temps.</translation></message>
    <message><source>This script was not run yet.</source><translation>Ce script n'a pas encore été exécuté.</translation></message>
    <message><source>This session cannot be read any more.</source><translation>Cette session ne peut plus être lue.</translation></message>
    <message><source>This session does not name a script that is on this machine</source><translation>Cette session ne nomme pas de script qui soit sur cette machine</translation></message>
    <message><source>This session has no function named %1.</source><translation>Cette session n'a pas de fonction nommée %1.</translation></message>
    <message><source>This session has no function with the number %1.</source><translation>Cette session n'a pas de fonction de numéro %1.</translation></message>
    <message><source>This session holds no measured memory</source><translation>Cette session ne contient pas de mémoire mesurée</translation></message>
    <message><source>This session holds no measured roofs of what %1 ran on.</source><translation>Cette session ne contient aucun plafond mesuré de ce sur quoi %1 a tourné.</translation></message>
    <message><source>This session is of one process. “croton profile --launch 'mpirun -n 4' FILE.py” records several as one job.</source><translation>Cette session est d'un seul processus. « croton profile --launch 'mpirun -n 4' FICHIER.py » en enregistre plusieurs comme un seul travail.</translation></message>
    <message><source>This session keeps no source text.</source><translation>Cette session ne garde pas de texte source.</translation></message>
    <message><source>This side has no such function.</source><translation>Ce côté n'a pas cette fonction.</translation></message>
    <message><source>This step changed too many nodes to draw them here. The graph above marks them.</source><translation>Cette étape a changé trop de nœuds pour les dessiner ici. Le graphe au-dessus les marque.</translation></message>
    <message><source>Threads</source><translation>Fils</translation></message>
    <message><source>Threads that work together on large arrays (config.threads)</source><translation>Fils d'exécution qui travaillent ensemble sur de grands tableaux (config.threads)</translation></message>
    <message><source>Time</source><translation>Temps</translation></message>
    <message><source>Time %1</source><translation>Temps %1</translation></message>
    <message><source>Time a call</source><translation>Temps par appel</translation></message>
    <message><source>Time of a call</source><translation>Temps d'un appel</translation></message>
    <message><source>Time of each rank</source><translation>Temps de chaque rang</translation></message>
    <message><source>Time per call</source><translation>Temps par appel</translation></message>
    <message><source>Time per call, groups together</source><translation>Temps par appel, groupes ensemble</translation></message>
    <message><source>Time that the compiler spent</source><translation>Temps que le compilateur a pris</translation></message>
    <message><source>Time to compile it</source><translation>Temps pour la compiler</translation></message>
    <message><source>Time within the range</source><translation>Temps dans l'intervalle</translation></message>
    <message><source>Time within the range in A</source><translation>Temps dans l'intervalle dans A</translation></message>
    <message><source>Time within the range in B</source><translation>Temps dans l'intervalle dans B</translation></message>
    <message><source>Time, memory and error along the steps</source><translation>Temps, mémoire et erreur le long des étapes</translation></message>
    <message><source>Timeline</source><translation>Chronologie</translation></message>
    <message><source>Timeline of A</source><translation>Chronologie de A</translation></message>
    <message><source>Timeline of B</source><translation>Chronologie de B</translation></message>
    <message><source>Timelines of A and B</source><translation>Chronologies de A et B</translation></message>
    <message><source>To</source><translation>Vers</translation></message>
    <message><source>To parent, child, neighbours</source><translation>Au parent, à l'enfant, aux voisins</translation></message>
    <message><source>Total</source><translation>Total</translation></message>
    <message><source>Total divided by the count</source><translation>Total divisé par le nombre</translation></message>
    <message><source>Total time divided by the number of calls</source><translation>Temps total divisé par le nombre d'appels</translation></message>
    <message><source>Total time of all calls, host clock unless the quality says otherwise</source><translation>Temps total de tous les appels, horloge de l'hôte sauf si la qualité dit autre chose</translation></message>
    <message><source>Tour of the window</source><translation>Visite de la fenêtre</translation></message>
    <message><source>Tour, %1 of %2</source><translation>Visite, %1 sur %2</translation></message>
    <message><source>Trace to inputs</source><translation>Remonter aux entrées</translation></message>
    <message><source>Trace to outputs</source><translation>Suivre jusqu'aux sorties</translation></message>
    <message><source>Transfers</source><translation>Transferts</translation></message>
    <message><source>Transfers, simulated</source><translation>Transferts, simulés</translation></message>
    <message><source>Try an expression</source><translation>Essayer une expression</translation></message>
    <message><source>Try it</source><translation>L'essayer</translation></message>
    <message><source>Two runs of one program differ by some percent; “croton profile --runs 12” on both sides tells smaller changes from that.</source><translation>Deux exécutions d'un programme diffèrent de quelques pour cent ; « croton profile --runs 12 » des deux côtés en distingue des changements plus petits.</translation></message>
    <message><source>Two sessions to compare</source><translation>Deux sessions à comparer</translation></message>
    <message><source>Two views have the id “%1”; each needs one of its own, and taken are %2.</source><translation>Deux vues ont l'identifiant « %1 » ; chacune en demande un à elle, et sont pris %2.</translation></message>
    <message><source>Type</source><translation>Type</translation></message>
    <message><source>Under the roofs</source><translation>Sous les toits</translation></message>
    <message><source>Under whose roofs it stands</source><translation>Sous les plafonds duquel il se trouve</translation></message>
    <message><source>Value</source><translation>Valeur</translation></message>
    <message><source>Values of its inputs</source><translation>Valeurs de ses entrées</translation></message>
    <message><source>Values that are not kept</source><translation>Valeurs qui ne sont pas gardées</translation></message>
    <message><source>Verified by runs: %1</source><translation>Vérifié par des exécutions : %1</translation></message>
    <message><source>Verify by a run</source><translation>Vérifier par une exécution</translation></message>
    <message><source>Verify the lines by runs</source><translation>Vérifier les lignes par des exécutions</translation></message>
    <message><source>Verify this by a run</source><translation>Vérifier ceci par une exécution</translation></message>
    <message><source>View</source><translation>Affichage</translation></message>
    <message><source>View to show: %1.</source><translation>Vue à montrer : %1.</translation></message>
    <message><source>Views of it and what is written over it</source><translation>Ses vues et ce qui s'écrit par-dessus</translation></message>
    <message><source>Waiting</source><translation>Attente</translation></message>
    <message><source>Waits</source><translation>Attentes</translation></message>
    <message><source>Waits most</source><translation>Attend le plus</translation></message>
    <message><source>Walk along the edges, and within a layer</source><translation>Suivre les arêtes, et aller dans une couche</translation></message>
    <message><source>Walk along the nodes with the arrows; step again</source><translation>Parcourir les nœuds avec les flèches ; revenir aux étapes</translation></message>
    <message><source>Welcome page</source><translation>Page d'accueil</translation></message>
    <message><source>What</source><translation>Quoi</translation></message>
    <message><source>What became of it</source><translation>Ce qu'il est devenu</translation></message>
    <message><source>What can be asked for</source><translation>Ce que l'on peut demander</translation></message>
    <message><source>What changed</source><translation>Ce qui a changé</translation></message>
    <message><source>What colours the nodes</source><translation>Ce qui colore les nœuds</translation></message>
    <message><source>What colours the nodes of graphs: %1.</source><translation>Ce qui colore les nœuds des graphes : %1.</translation></message>
    <message><source>What could be</source><translation>Ce qui pourrait être</translation></message>
    <message><source>What each rewrite changes</source><translation>Ce que change chaque réécriture</translation></message>
    <message><source>What each rewrite changes can be measured when the run has ended.</source><translation>Ce que change chaque réécriture pourra être mesuré quand l'exécution sera terminée.</translation></message>
    <message><source>What explains the difference of %1</source><translation>Ce qui explique la différence de %1</translation></message>
    <message><source>What explains the difference; the table “Classes” has its numbers</source><translation>Ce qui explique la différence ; le tableau « Classes » en a les nombres</translation></message>
    <message><source>What if</source><translation>Et si</translation></message>
    <message><source>What is another than in the session before</source><translation>Ce qui a changé depuis la session d'avant</translation></message>
    <message><source>What is compared</source><translation>Ce qui est comparé</translation></message>
    <message><source>What is folded</source><translation>Ce qui est replié</translation></message>
    <message><source>What is left out</source><translation>Ce qui est omis</translation></message>
    <message><source>What is measured</source><translation>Ce qui est mesuré</translation></message>
    <message><source>What it did here</source><translation>Ce qu'elle a fait ici</translation></message>
    <message><source>What kind of node it is</source><translation>Quel genre de nœud c'est</translation></message>
    <message><source>What leaving it out costs, of the measure that is shown; below 0 it would be better without</source><translation>Ce que coûte son omission, selon la mesure affichée ; au-dessous de 0 ce serait mieux sans</translation></message>
    <message><source>What lies between it and all of them left out no single one explains</source><translation>Ce qui la sépare de l'omission de toutes, aucune ne l'explique seule</translation></message>
    <message><source>What neither alone explains: %1</source><translation>Ce qu'aucune des deux n'explique seule : %1</translation></message>
    <message><source>What of A and B stands at the same place</source><translation>Ce qui, de A et de B, se trouve au même endroit</translation></message>
    <message><source>What of the memory is shown</source><translation>Ce qui est montré de la mémoire</translation></message>
    <message><source>What of two sessions is compared: %1.</source><translation>Ce qui est comparé de deux sessions : %1.</translation></message>
    <message><source>What runs it: C for generated or library code, Py for Python</source><translation>Ce qui l'exécute : C pour du code généré ou de bibliothèque, Py pour Python</translation></message>
    <message><source>What the compiler made of it</source><translation>Ce que le compilateur en a fait</translation></message>
    <message><source>What the memory could be is not known: %1.</source><translation>On ne sait pas ce que la mémoire pourrait être : %1.</translation></message>
    <message><source>What the memory of a call could be</source><translation>Ce que la mémoire d'un appel pourrait être</translation></message>
    <message><source>What the rewrites do</source><translation>Ce que font les réécritures</translation></message>
    <message><source>What the row is</source><translation>Ce qu'est la ligne</translation></message>
    <message><source>What the script printed</source><translation>Ce que le script a écrit</translation></message>
    <message><source>What this is</source><translation>Ce que c'est</translation></message>
    <message><source>What this step changed</source><translation>Ce que cette étape a changé</translation></message>
    <message><source>What was found</source><translation>Ce qui a été trouvé</translation></message>
    <message><source>What you select is explained here: its time, the rewrites that made it, the lines it stems from. This is the one that takes longest.</source><translation>Ce que vous choisissez est expliqué ici : son temps, les réécritures qui l'ont fait, les lignes dont il provient. Voici celui qui prend le plus de temps.</translation></message>
    <message><source>What you typed in %1 last time was not saved; here it is again. Undo gives the text of the file.</source><translation>Ce que vous avez tapé dans %1 la dernière fois n'a pas été enregistré ; le revoici. Annuler rend le texte du fichier.</translation></message>
    <message><source>When</source><translation>Quand</translation></message>
    <message><source>When it can hurt</source><translation>Quand elle peut nuire</translation></message>
    <message><source>Where</source><translation>Où</translation></message>
    <message><source>Where it is drawn</source><translation>Où c'est dessiné</translation></message>
    <message><source>Where it lies in the memory that the plan keeps; – is outside of it</source><translation>Où c'est dans la mémoire que le plan garde ; – est en dehors</translation></message>
    <message><source>Where its own recording is</source><translation>Où se trouve son propre enregistrement</translation></message>
    <message><source>Where the applies run</source><translation>Où les apply s'exécutent</translation></message>
    <message><source>Where the difference lies</source><translation>Où se trouve la différence</translation></message>
    <message><source>Where the time goes</source><translation>Où va le temps</translation></message>
    <message><source>Where time and memory go</source><translation>Où vont le temps et la mémoire</translation></message>
    <message><source>Where to write the handout</source><translation>Où écrire le document</translation></message>
    <message><source>Where, by whose clock</source><translation>Où, à quelle horloge</translation></message>
    <message><source>Whether it is more than chance: of times by Mann-Whitney with Holm's correction, p &lt; 0.01</source><translation>Si c'est plus que le hasard : pour les temps selon Mann-Whitney avec la correction de Holm, p &lt; 0,01</translation></message>
    <message><source>Which picture of the view: arena, time, could or could:BYTES of memory; a rewrite, pass or pass:NAME of worth; threads:N of the summary.</source><translation>Quelle image de la vue : arena, time, could ou could:OCTETS pour memory ; une réécriture, pass ou pass:NOM pour worth ; threads:N pour le résumé.</translation></message>
    <message><source>Which rewrites looked at this node and why they declined</source><translation>Quelles réécritures ont regardé ce nœud et pourquoi elles ont refusé</translation></message>
    <message><source>Whole calls %1 · in fn %2 · compile %3 · %4 in %5</source><translation>Appels entiers %1 · dans fn %2 · compilation %3 · %4 dans %5</translation></message>
    <message><source>Why</source><translation>Pourquoi</translation></message>
    <message><source>Why it could fire here</source><translation>Pourquoi elle pouvait agir ici</translation></message>
    <message><source>Why it declined</source><translation>Pourquoi elle a refusé</translation></message>
    <message><source>Why not?</source><translation>Pourquoi pas ?</translation></message>
    <message><source>Why?</source><translation>Pourquoi ?</translation></message>
    <message><source>With --handout: with what is right, and the teacher's notes.</source><translation>Avec --handout : avec ce qui est juste, et les notes pour qui enseigne.</translation></message>
    <message><source>With --lesson: write it as a PDF to be handed out, and quit.</source><translation>Avec --lesson : l’écrire en PDF à distribuer, et quitter.</translation></message>
    <message><source>With --screenshot: the graph alone, at most so many pixels wide and high.</source><translation>Avec --screenshot : le graphe seul, au plus tant de pixels en largeur et en hauteur.</translation></message>
    <message><source>With calls</source><translation>Avec appels</translation></message>
    <message><source>With it</source><translation>Avec elle</translation></message>
    <message><source>Within %1 as it is: %2</source><translation>Dans %1 tel quel : %2</translation></message>
    <message><source>Within %1: %2 by another order and %3</source><translation>Dans %1 : %2 par un autre ordre et %3</translation></message>
    <message><source>Within %1: %2 by another order, at no cost</source><translation>Dans %1 : %2 par un autre ordre, sans coût</translation></message>
    <message><source>Within %1: %2 with %3</source><translation>Dans %1 : %2 avec %3</translation></message>
    <message><source>Without all of them the graph is nearly as it was written.</source><translation>Sans toutes celles-ci, le graphe est presque tel qu'écrit.</translation></message>
    <message><source>Without copying %1 back</source><translation>Sans recopier %1</translation></message>
    <message><source>Without copying %1 to the device</source><translation>Sans copier %1 vers le périphérique</translation></message>
    <message><source>Without it</source><translation>Sans elle</translation></message>
    <message><source>Without it the optimized graph is the same: others do what it does</source><translation>Sans elle, le graphe optimisé est le même : d'autres font ce qu'elle fait</translation></message>
    <message><source>Without it: %1 a call, %2 at most, %3, %4 to compile, error %5</source><translation>Sans elle : %1 par appel, %2 au plus, %3, %4 pour compiler, erreur %5</translation></message>
    <message><source>Without the other %1 copies</source><translation>Sans les %1 autres copies</translation></message>
    <message><source>Without the other copy</source><translation>Sans l'autre copie</translation></message>
    <message><source>Without what it waited for other ranks</source><translation>Sans ce qu'il a attendu d'autres rangs</translation></message>
    <message><source>Words, type:float32, time&gt;1ms, /expression/ …</source><translation>Mots, type:float32, time&gt;1ms, /expression/ …</translation></message>
    <message><source>Working out what the memory could be</source><translation>Calcul de ce que la mémoire pourrait être</translation></message>
    <message><source>Workspace</source><translation>Espace de travail</translation></message>
    <message><source>Write a picture of the window to OUT.png without a display, and quit.</source><translation>Écrire une image de la fenêtre dans OUT.png sans écran, et quitter.</translation></message>
    <message><source>Writing %1…</source><translation>Écriture de %1…</translation></message>
    <message><source>You answered this, and it was not right yet.</source><translation>Vous avez répondu, et ce n’était pas encore juste.</translation></message>
    <message><source>You answered this: right.</source><translation>Vous avez répondu : juste.</translation></message>
    <message><source>You will see: %1</source><translation>Vous verrez : %1</translation></message>
    <message><source>Your answer</source><translation>Votre réponse</translation></message>
    <message><source>Your answers could not be kept in %1: %2. Export them before you leave.</source><translation>Vos réponses n’ont pas pu être gardées dans %1 : %2. Exportez-les avant de partir.</translation></message>
    <message><source>Your prediction</source><translation>Votre prédiction</translation></message>
    <message><source>Your script</source><translation>Votre script</translation></message>
    <message><source>Your turn</source><translation>À vous</translation></message>
    <message><source>Zoom in (+, wheel)</source><translation>Rapprocher (+, molette)</translation></message>
    <message><source>Zoom in, zoom out</source><translation>Zoom avant, zoom arrière</translation></message>
    <message><source>Zoom out</source><translation>Éloigner</translation></message>
    <message><source>Zoom out (−, wheel)</source><translation>Éloigner (−, molette)</translation></message>
    <message><source>Zoom to the frame</source><translation>Rapprocher jusqu'au cadre</translation></message>
    <message><source>a call of %1, by where it runs</source><translation>un appel de %1, selon l'endroit où il s'exécute</translation></message>
    <message><source>a number</source><translation>un nombre</translation></message>
    <message><source>a regular expression on its names</source><translation>une expression régulière sur ses noms</translation></message>
    <message><source>a sample, without %1</source><translation>un échantillon, sans %1</translation></message>
    <message><source>again: %1</source><translation>de nouveau : %1</translation></message>
    <message><source>all</source><translation>tous</translation></message>
    <message><source>all functions</source><translation>toutes les fonctions</translation></message>
    <message><source>all of them left out</source><translation>toutes omises</translation></message>
    <message><source>all rewrites that have it</source><translation>toutes les réécritures qui l'ont</translation></message>
    <message><source>allow_gc</source><translation>allow_gc</translation></message>
    <message><source>allow_gc (script)</source><translation>allow_gc (script)</translation></message>
    <message><source>allow_gc=False</source><translation>allow_gc=False</translation></message>
    <message><source>and %1 more changes, in the table</source><translation>et %1 autres changements, dans le tableau</translation></message>
    <message><source>and one more change, in the table</source><translation>et un changement de plus, dans le tableau</translation></message>
    <message><source>another value in the reference for %1 of %2</source><translation>une autre valeur dans la référence pour %1 sur %2</translation></message>
    <message><source>apply</source><translation>apply</translation></message>
    <message><source>apply %1</source><translation>apply %1</translation></message>
    <message><source>apply %1 of %2</source><translation>apply %1 sur %2</translation></message>
    <message><source>arithmetic</source><translation>arithmétique</translation></message>
    <message><source>around applies</source><translation>autour des apply</translation></message>
    <message><source>around the applies: arguments, results, Python</source><translation>autour des apply : arguments, résultats, Python</translation></message>
    <message><source>as chosen</source><translation>comme choisi</translation></message>
    <message><source>as it is</source><translation>tel quel</translation></message>
    <message><source>as written</source><translation>tel qu'écrit</translation></message>
    <message><source>at %1 of the session</source><translation>à %1 de la session</translation></message>
    <message><source>at its roof</source><translation>à son toit</translation></message>
    <message><source>at most %1 × faster</source><translation>au plus %1 × plus rapide</translation></message>
    <message><source>at the roofs</source><translation>aux plafonds</translation></message>
    <message><source>at the same time</source><translation>en même temps</translation></message>
    <message><source>being written</source><translation>en cours d'écriture</translation></message>
    <message><source>better with it ▸</source><translation>meilleur avec ▸</translation></message>
    <message><source>bound by arithmetic</source><translation>borné par l'arithmétique</translation></message>
    <message><source>bound by the bytes that it moves</source><translation>borné par les octets qu'il déplace</translation></message>
    <message><source>bound by what beginning an apply takes</source><translation>borné par ce que prend le début d'un apply</translation></message>
    <message><source>budget %1</source><translation>budget %1</translation></message>
    <message><source>by address; %1 pieces lie outside of the arena</source><translation>par adresse ; %1 morceaux sont hors de l'arène</translation></message>
    <message><source>by address; 1 piece lies outside of the arena</source><translation>par adresse ; 1 morceau est hors de l'arène</translation></message>
    <message><source>cache %1</source><translation>cache %1</translation></message>
    <message><source>call</source><translation>appel</translation></message>
    <message><source>call %1 of %2</source><translation>appel %1 sur %2</translation></message>
    <message><source>call %1 · %2 with all of them</source><translation>appel %1 · %2 avec toutes</translation></message>
    <message><source>calls</source><translation>appels</translation></message>
    <message><source>calls that were not kept</source><translation>appels qui n'ont pas été gardés</translation></message>
    <message><source>cancelled</source><translation>annulé</translation></message>
    <message><source>cannot be read</source><translation>ne peut pas être lu</translation></message>
    <message><source>cannot be run without it</source><translation>ne peut pas s'exécuter sans elle</translation></message>
    <message><source>changed</source><translation>changé</translation></message>
    <message><source>click two points to compare their sessions</source><translation>cliquez sur deux points pour comparer leurs sessions</translation></message>
    <message><source>command</source><translation>commande</translation></message>
    <message><source>compiled in %1</source><translation>compilé en %1</translation></message>
    <message><source>compiling</source><translation>compilation</translation></message>
    <message><source>compiling %1</source><translation>compilation de %1</translation></message>
    <message><source>composite</source><translation>composite</translation></message>
    <message><source>computed again, not kept</source><translation>recalculé, pas gardé</translation></message>
    <message><source>constant</source><translation>constante</translation></message>
    <message><source>constant %1</source><translation>constante %1</translation></message>
    <message><source>copies to and from devices</source><translation>copies depuis et vers les périphériques</translation></message>
    <message><source>copies, %1</source><translation>copies, %1</translation></message>
    <message><source>copy</source><translation>copie</translation></message>
    <message><source>copy between devices</source><translation>copie entre appareils</translation></message>
    <message><source>created</source><translation>créé</translation></message>
    <message><source>cut off</source><translation>interrompu</translation></message>
    <message><source>denormal</source><translation>dénormal</translation></message>
    <message><source>destroyed</source><translation>détruit</translation></message>
    <message><source>destroys i%1</source><translation>détruit i%1</translation></message>
    <message><source>destroys it</source><translation>le détruit</translation></message>
    <message><source>destroys the input</source><translation>détruit l'entrée</translation></message>
    <message><source>device clock</source><translation>horloge de l'appareil</translation></message>
    <message><source>device to device</source><translation>d'appareil à appareil</translation></message>
    <message><source>device to host</source><translation>de l'appareil à l'hôte</translation></message>
    <message><source>does no arithmetic</source><translation>ne fait pas d'arithmétique</translation></message>
    <message><source>done</source><translation>fait</translation></message>
    <message><source>during the rewriting of %1</source><translation>pendant la réécriture de %1</translation></message>
    <message><source>en or fr.</source><translation>en ou fr.</translation></message>
    <message><source>ended with an error</source><translation>terminé par une erreur</translation></message>
    <message><source>failed</source><translation>échouée</translation></message>
    <message><source>faster</source><translation>plus rapide</translation></message>
    <message><source>finished</source><translation>fini</translation></message>
    <message><source>finite</source><translation>fini</translation></message>
    <message><source>first call</source><translation>premier appel</translation></message>
    <message><source>flag %1</source><translation>option %1</translation></message>
    <message><source>float32 for float64</source><translation>float32 au lieu de float64</translation></message>
    <message><source>floatX</source><translation>floatX</translation></message>
    <message><source>flop for each byte</source><translation>flop par octet</translation></message>
    <message><source>flop for each byte of inputs and outputs</source><translation>flop par octet d'entrées et de sorties</translation></message>
    <message><source>flop/byte</source><translation>flop/octet</translation></message>
    <message><source>from the cache</source><translation>du cache</translation></message>
    <message><source>function</source><translation>fonction</translation></message>
    <message><source>functions</source><translation>fonctions</translation></message>
    <message><source>generated code</source><translation>code généré</translation></message>
    <message><source>grad</source><translation>grad</translation></message>
    <message><source>group</source><translation>groupe</translation></message>
    <message><source>holds %1</source><translation>tient %1</translation></message>
    <message><source>holds %1 of the peak</source><translation>tient %1 du pic</translation></message>
    <message><source>host clock</source><translation>horloge de l'hôte</translation></message>
    <message><source>host clock, blocking</source><translation>horloge de l'hôte, bloquante</translation></message>
    <message><source>host to device</source><translation>de l'hôte à l'appareil</translation></message>
    <message><source>id</source><translation>n°</translation></message>
    <message><source>in %1</source><translation>dans %1</translation></message>
    <message><source>in Python outside of functions</source><translation>dans Python, hors des fonctions</translation></message>
    <message><source>in all</source><translation>en tout</translation></message>
    <message><source>in functions</source><translation>dans les fonctions</translation></message>
    <message><source>in place</source><translation>sur place</translation></message>
    <message><source>in the arena at %1</source><translation>dans l'arène à %1</translation></message>
    <message><source>in thunks, %1</source><translation>dans les thunks, %1</translation></message>
    <message><source>inner graph</source><translation>graphe intérieur</translation></message>
    <message><source>input</source><translation>entrée</translation></message>
    <message><source>input, constant, shared, output, view, transfer, group …</source><translation>input, constant, shared, output, view, transfer, group …</translation></message>
    <message><source>interpreter</source><translation>interpréteur</translation></message>
    <message><source>it is a job of %1 processes</source><translation>c'est un travail de %1 processus</translation></message>
    <message><source>it is too large</source><translation>il est trop grand</translation></message>
    <message><source>its sizes are not known</source><translation>ses tailles ne sont pas connues</translation></message>
    <message><source>kernels, %1</source><translation>noyaux, %1</translation></message>
    <message><source>less exact</source><translation>moins exact</translation></message>
    <message><source>less memory</source><translation>moins de mémoire</translation></message>
    <message><source>library</source><translation>bibliothèque</translation></message>
    <message><source>life within a call</source><translation>vie pendant un appel</translation></message>
    <message><source>light or dark.</source><translation>light ou dark.</translation></message>
    <message><source>line</source><translation>ligne</translation></message>
    <message><source>line %1</source><translation>ligne %1</translation></message>
    <message><source>line %1: %2</source><translation>ligne %1 : %2</translation></message>
    <message><source>lines %1</source><translation>lignes %1</translation></message>
    <message><source>lines %1 and others</source><translation>lignes %1 et autres</translation></message>
    <message><source>live bytes of arrays, measured · at most %1 at %2</source><translation>octets vivants des tableaux, mesurés · au plus %1 à %2</translation></message>
    <message><source>lives from position %1 to %2 of %3</source><translation>vit de la position %1 à %2 sur %3</translation></message>
    <message><source>made in phase %1</source><translation>fait dans la phase %1</translation></message>
    <message><source>made in that phase of the compiler</source><translation>fait pendant cette phase du compilateur</translation></message>
    <message><source>may run as one kernel</source><translation>peut tourner comme un noyau</translation></message>
    <message><source>mean %1, deviation %2</source><translation>moyenne %1, écart %2</translation></message>
    <message><source>mean of %1, host clock</source><translation>moyenne de %1, horloge de l'hôte</translation></message>
    <message><source>measured</source><translation>mesuré</translation></message>
    <message><source>measured %1</source><translation>mesuré %1</translation></message>
    <message><source>measured on the host</source><translation>mesuré sur l'hôte</translation></message>
    <message><source>measured: the same</source><translation>mesuré : pareil</translation></message>
    <message><source>memory</source><translation>mémoire</translation></message>
    <message><source>memory %1</source><translation>mémoire %1</translation></message>
    <message><source>memory given back</source><translation>mémoire rendue</translation></message>
    <message><source>more exact</source><translation>plus exact</translation></message>
    <message><source>more memory</source><translation>plus de mémoire</translation></message>
    <message><source>more than 1 000 × from its roof</source><translation>à plus de 1 000 × de son toit</translation></message>
    <message><source>most in %1: %2</source><translation>le plus dans %1 : %2</translation></message>
    <message><source>most is held at step %1, %2</source><translation>le plus est tenu à l'étape %1, %2</translation></message>
    <message><source>most of it descends from that line</source><translation>l'essentiel descend de cette ligne</translation></message>
    <message><source>moving bytes</source><translation>déplacer des octets</translation></message>
    <message><source>moving data in MPI</source><translation>à transporter des données dans MPI</translation></message>
    <message><source>new value of %1</source><translation>nouvelle valeur de %1</translation></message>
    <message><source>no</source><translation>non</translation></message>
    <message><source>no bound is known</source><translation>aucune borne n'est connue</translation></message>
    <message><source>no flag does that: %1</source><translation>aucune option ne fait cela : %1</translation></message>
    <message><source>no flag does that: it shows what views save</source><translation>aucune option ne fait cela : cela montre ce que les vues épargnent</translation></message>
    <message><source>no function of one is in the other</source><translation>aucune fonction de l'une n'est dans l'autre</translation></message>
    <message><source>no line</source><translation>aucune ligne</translation></message>
    <message><source>no line of the script</source><translation>aucune ligne du script</translation></message>
    <message><source>no order takes less</source><translation>aucun ordre ne prend moins</translation></message>
    <message><source>no place: it %1</source><translation>pas de place : il %1</translation></message>
    <message><source>no rewrite changed it</source><translation>aucune réécriture ne l'a changé</translation></message>
    <message><source>no views</source><translation>sans vues</translation></message>
    <message><source>no work in place</source><translation>sans travail en place</translation></message>
    <message><source>node</source><translation>nœud</translation></message>
    <message><source>node %1</source><translation>nœud %1</translation></message>
    <message><source>nodes</source><translation>nœuds</translation></message>
    <message><source>none</source><translation>aucun</translation></message>
    <message><source>not called</source><translation>pas appelée</translation></message>
    <message><source>not done yet</source><translation>pas encore fait</translation></message>
    <message><source>not finite</source><translation>non fini</translation></message>
    <message><source>not found</source><translation>introuvable</translation></message>
    <message><source>not verified by a run yet</source><translation>pas encore vérifié par une exécution</translation></message>
    <message><source>nothing left out</source><translation>rien d'omis</translation></message>
    <message><source>nothing lies in the arena</source><translation>rien n'est dans l'arène</translation></message>
    <message><source>nothing was recorded</source><translation>rien n'a été enregistré</translation></message>
    <message><source>now</source><translation>maintenant</translation></message>
    <message><source>of %1</source><translation>de %1</translation></message>
    <message><source>of garbage</source><translation>des rebuts</translation></message>
    <message><source>of no line</source><translation>d'aucune ligne</translation></message>
    <message><source>of thunks</source><translation>des thunks</translation></message>
    <message><source>once</source><translation>une fois</translation></message>
    <message><source>one kernel</source><translation>un noyau</translation></message>
    <message><source>one older one is not shown</source><translation>une plus ancienne n'est pas montrée</translation></message>
    <message><source>one scale for both; drag with Shift: a range of both</source><translation>une échelle pour les deux ; glisser avec Maj : un intervalle des deux</translation></message>
    <message><source>only connections changed</source><translation>seuls des liens ont changé</translation></message>
    <message><source>ops on %1</source><translation>ops sur %1</translation></message>
    <message><source>ops on the host</source><translation>ops sur l'hôte</translation></message>
    <message><source>optimized</source><translation>optimisé</translation></message>
    <message><source>order of least peak</source><translation>ordre du moindre pic</translation></message>
    <message><source>other</source><translation>autres</translation></message>
    <message><source>out %1</source><translation>sortie %1</translation></message>
    <message><source>output</source><translation>sortie</translation></message>
    <message><source>output %1 of the function</source><translation>sortie %1 de la fonction</translation></message>
    <message><source>outside</source><translation>dehors</translation></message>
    <message><source>outside of the arena</source><translation>hors de l'arène</translation></message>
    <message><source>p</source><translation>p</translation></message>
    <message><source>part	now	at the roof	could be saved</source><translation>partie	maintenant	au plafond	à gagner</translation></message>
    <message><source>part %1</source><translation>partie %1</translation></message>
    <message><source>parts %1 – %2</source><translation>parties %1 – %2</translation></message>
    <message><source>pass</source><translation>passe</translation></message>
    <message><source>peak, as planned</source><translation>pic, tel que prévu</translation></message>
    <message><source>per call</source><translation>par appel</translation></message>
    <message><source>picture %1.</source><translation>image %1.</translation></message>
    <message><source>predicted</source><translation>prédit</translation></message>
    <message><source>rank %1</source><translation>rang %1</translation></message>
    <message><source>rank %1: %2</source><translation>rang %1 : %2</translation></message>
    <message><source>record another one, and it stands beside this</source><translation>enregistrez-en une autre, et elle se place à côté de celle-ci</translation></message>
    <message><source>removed by this step</source><translation>retiré par cette étape</translation></message>
    <message><source>result</source><translation>résultat</translation></message>
    <message><source>rewrite</source><translation>réécriture</translation></message>
    <message><source>rewriting</source><translation>réécriture</translation></message>
    <message><source>run %1</source><translation>exécution %1</translation></message>
    <message><source>runs a graph within, or Python: its arithmetic is not counted</source><translation>exécute un graphe à l'intérieur, ou Python : son arithmétique n'est pas comptée</translation></message>
    <message><source>runs there</source><translation>s'y exécute</translation></message>
    <message><source>sample</source><translation>exemple</translation></message>
    <message><source>scripts to look around in</source><translation>des scripts pour regarder autour de soi</translation></message>
    <message><source>shared</source><translation>partagée</translation></message>
    <message><source>shared variable</source><translation>variable partagée</translation></message>
    <message><source>shared with %1 more</source><translation>partagé avec %1 de plus</translation></message>
    <message><source>shared with %1 more, written over %2</source><translation>partagé avec %1 de plus, récrit %2</translation></message>
    <message><source>since then: %1</source><translation>depuis : %1</translation></message>
    <message><source>slower</source><translation>plus lent</translation></message>
    <message><source>start</source><translation>le début</translation></message>
    <message><source>step %1</source><translation>étape %1</translation></message>
    <message><source>step %1 of %2</source><translation>étape %1 sur %2</translation></message>
    <message><source>step %1, %2: %3 held</source><translation>étape %1, %2 : %3 tenus</translation></message>
    <message><source>step %1, in all %2</source><translation>étape %1, en tout %2</translation></message>
    <message><source>sum of the single differences</source><translation>somme des différences seules</translation></message>
    <message><source>tag</source><translation>étiquette</translation></message>
    <message><source>takes longer per call</source><translation>prend plus longtemps par appel</translation></message>
    <message><source>takes under 1 µs a call: beginning it counts more than its work</source><translation>prend moins de 1 µs par appel : le commencer compte plus que son travail</translation></message>
    <message><source>that of the desktop</source><translation>celle du bureau</translation></message>
    <message><source>the applies of all calls: %1 off, %2 on</source><translation>les apply de tous les appels : %1 sans, %2 avec</translation></message>
    <message><source>the graph is written another way</source><translation>le graphe est écrit autrement</translation></message>
    <message><source>the layout program did not start</source><translation>le programme de disposition n'a pas démarré</translation></message>
    <message><source>the layout program gave an answer of another version</source><translation>le programme de disposition a répondu dans une autre version</translation></message>
    <message><source>the op's name holds it</source><translation>le nom de l'op le contient</translation></message>
    <message><source>the picture</source><translation>l'image</translation></message>
    <message><source>the rest</source><translation>le reste</translation></message>
    <message><source>the result is a view of it</source><translation>le résultat en est une vue</translation></message>
    <message><source>the result is written over it</source><translation>le résultat s'écrit par-dessus</translation></message>
    <message><source>the roofs of its device were not measured</source><translation>les plafonds de son appareil n'ont pas été mesurés</translation></message>
    <message><source>the same graph: others do what it does</source><translation>le même graphe : d'autres font ce qu'elle fait</translation></message>
    <message><source>the shape holds it</source><translation>la forme le contient</translation></message>
    <message><source>the type holds it</source><translation>le type le contient</translation></message>
    <message><source>the whole function</source><translation>la fonction entière</translation></message>
    <message><source>the whole phase</source><translation>la phase entière</translation></message>
    <message><source>this one</source><translation>celle-ci</translation></message>
    <message><source>this session holds no measured roofs</source><translation>cette session ne contient pas de toits mesurés</translation></message>
    <message><source>time</source><translation>temps</translation></message>
    <message><source>traced calls</source><translation>appels suivis</translation></message>
    <message><source>transfer</source><translation>transfert</translation></message>
    <message><source>unnamed</source><translation>sans nom</translation></message>
    <message><source>unnamed pass</source><translation>passe sans nom</translation></message>
    <message><source>value</source><translation>valeur</translation></message>
    <message><source>values: x = [[1, 2], [3, 4]]  (others are random)</source><translation>valeurs : x = [[1, 2], [3, 4]]  (les autres au hasard)</translation></message>
    <message><source>variable %1</source><translation>variable %1</translation></message>
    <message><source>verified</source><translation>vérifié</translation></message>
    <message><source>view</source><translation>vue</translation></message>
    <message><source>view of i%1</source><translation>vue de i%1</translation></message>
    <message><source>view of the input</source><translation>vue de l'entrée</translation></message>
    <message><source>waiting for other ranks</source><translation>attente d'autres rangs</translation></message>
    <message><source>what ran</source><translation>ce qui a tourné</translation></message>
    <message><source>what the desktop opens scripts with</source><translation>ce avec quoi le bureau ouvre les scripts</translation></message>
    <message><source>with calls that were not kept</source><translation>avec des appels qui n'ont pas été gardés</translation></message>
    <message><source>within %1</source><translation>dans %1</translation></message>
    <message><source>within the budget</source><translation>dans le budget</translation></message>
    <message><source>without a bound</source><translation>sans borne</translation></message>
    <message><source>without freeing</source><translation>sans libérer</translation></message>
    <message><source>without in-place</source><translation>sans travail sur place</translation></message>
    <message><source>written over %1</source><translation>récrit %1</translation></message>
    <message><source>yes</source><translation>oui</translation></message>
    <message><source>zero</source><translation>zéro</translation></message>
    <message><source>× only in A, + only in B, ▲ slower and ▼ faster in B</source><translation>× seulement dans A, + seulement dans B, ▲ plus lent et ▼ plus rapide dans B</translation></message>
    <message><source>“%1” is no link to a view.</source><translation>« %1 » n'est pas un lien vers une vue.</translation></message>
    <message><source>← → ↑ ↓ J K</source><translation>← → ↑ ↓ J K</translation></message>
    <message><source>⊙ on a device</source><translation>⊙ sur un périphérique</translation></message>
    <message><source>■ generated code</source><translation>■ code généré</translation></message>
    <message><source>▲ B is %1 × slower</source><translation>▲ B est %1 × plus lent</translation></message>
    <message><source>▸ rank %1</source><translation>▸ rang %1</translation></message>
    <message><source>▼ B is %1 × faster</source><translation>▼ B est %1 × plus rapide</translation></message>
    <message><source>◂ better without it</source><translation>◂ mieux sans elle</translation></message>
    <message><source>◆ interpreter</source><translation>◆ interpréteur</translation></message>
    <message><source>● library</source><translation>● bibliothèque</translation></message>
</context>
</TS>

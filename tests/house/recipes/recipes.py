#!/usr/bin/env python3
"""Recipes of CONTRIBUTING.md as patches: each *.patch in this folder adds one thing to Croton, as a contributor would.

recipes.py --check   each patch applies, and CONTRIBUTING.md lists the files that it changes
recipes.py --write   writes those lists into CONTRIBUTING.md
recipes.py --run     applies all patches to a copy, builds it, and runs the commands that each patch names

A patch begins with a line that says what it adds, and lines `run: COMMAND` for what must work afterwards. The copy is an overlay over the
source tree and its build folder, so that only what the patches change is compiled again; it needs Linux with overlayfs, and is left
out (exit code 77) without it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parents[2]
PAGE = SOURCE / "CONTRIBUTING.md"
LIST = re.compile(r"<!-- recipe: (\w+) -->\n```\n(.*?)```\n", re.S)
LEFT_OUT = 77


class Recipe:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.text = path.read_text()
        self.head, _, self.changes = self.text.partition("diff --git ")
        self.commands = re.findall(r"^run: (.+)$", self.head, re.M)

    def files(self):
        """Path and number of changed lines of each file, in the order of the patch."""
        counts = {}
        for part in ("diff --git " + self.changes).split("diff --git ")[1:]:
            path = re.match(r"a/(\S+) ", part).group(1)
            counts[path] = sum(bool(re.match(r"[+-](?!\+\+ |-- )", line)) for line in part.split("\n")[1:])
        return counts

    def listed(self):
        files = self.files()
        width = max(map(len, files))
        return "".join(" %-*s | %3d\n" % (width, path, count) for path, count in files.items())

    def apply(self, *options):
        return subprocess.run(["git", "apply", *options, str(self.path)], cwd=SOURCE, capture_output=True, text=True)


def recipes():
    return [Recipe(path) for path in sorted(FOLDER.glob("*.patch"))]


def written(page, all_recipes):
    by_name = {recipe.name: recipe for recipe in all_recipes}
    return LIST.sub(lambda found: "<!-- recipe: %s -->\n```\n%s```\n" % (found.group(1), by_name[found.group(1)].listed()), page)


def check(all_recipes):
    problems = []
    page = PAGE.read_text()
    shown = {found.group(1) for found in LIST.finditer(page)}
    for recipe in all_recipes:
        tried = recipe.apply("--check")
        if tried.returncode:
            problems.append("%s does not apply to this tree:\n%s" % (recipe.path.name, tried.stderr))
        if not recipe.commands:
            problems.append("%s has no line `run: COMMAND`" % recipe.path.name)
        if recipe.name not in shown:
            problems.append("CONTRIBUTING.md has no list `<!-- recipe: %s -->`" % recipe.name)
    problems += ["CONTRIBUTING.md lists the recipe %s, which has no patch" % name for name in sorted(shown - {recipe.name for recipe in all_recipes})]
    if not problems and written(page, all_recipes) != page:
        problems.append("CONTRIBUTING.md lists other files than the patches change: tests/house/recipes/recipes.py --write")
    return problems


def leave_out(reason):
    print("The recipes are left out: %s" % reason, file=sys.stderr)
    sys.exit(LEFT_OUT)


def in_copy(script):
    """Runs a shell script in the source folder, over which nothing that it writes is kept."""
    with tempfile.TemporaryDirectory(prefix="croton-recipes-") as scratch:
        for name in ("upper", "work"):
            os.mkdir(os.path.join(scratch, name))
        mount = 'mount -t overlay overlay -o "lowerdir=$SOURCE,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work" "$SOURCE"'
        namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        environment = dict(os.environ, SOURCE=str(SOURCE), SCRATCH=scratch)
        if subprocess.run(namespace + ["bash", "-c", mount], env=environment, capture_output=True).returncode:
            leave_out("this machine cannot mount an overlay over %s" % SOURCE)
        return subprocess.run(namespace + ["bash", "-ec", mount + '\ncd "$SOURCE"\n' + script], env=environment).returncode


def run(all_recipes):
    lines = []
    for recipe in all_recipes:
        lines += ["git apply %s || { echo 'recipe %s does not apply beside the others'; exit 1; }" % (recipe.path, recipe.name)]
    lines.append("resources/scripts/build all")
    lines.append("failed=0")
    for recipe in all_recipes:
        for command in recipe.commands:
            lines.append("echo %s; ( %s ) || { echo %s; failed=1; }" % (
                quoted("recipe %s: %s" % (recipe.name, command)), command, quoted("recipe %s FAILED: %s" % (recipe.name, command))))
    lines.append("exit $failed")
    return in_copy("\n".join(lines))


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main(action="--check"):
    all_recipes = recipes()
    if action == "--write":
        PAGE.write_text(written(PAGE.read_text(), all_recipes))
    elif action == "--run":
        sys.exit(run(all_recipes))
    elif action == "--check":
        problems = check(all_recipes)
        print("\n".join(problems), file=sys.stderr)
        sys.exit(bool(problems))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])

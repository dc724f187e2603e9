#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"

namespace app {

namespace {

int run(const Arguments &arguments)
{
    WorkerRequest request;
    request.mode = "run";
    request.script = arguments.words[0];
    request.arguments = arguments.rest;
    std::vector<std::string> words{"croton", "run", request.script};
    words.insert(words.end(), arguments.rest.begin(), arguments.rest.end());
    request.command = shellQuoted(words);
    return runWorker(request);
}

} // namespace

Command runCommand()
{
    Command command;
    command.name = "run";
    command.words = "FILE.py | MODEL.onnx [arguments of the script]";
    command.summary = "run a script; import theano is Croton there. Or run a model in ONNX's format";
    command.details = "THEANO_FLAGS, CROTON_FLAGS and .theanorc are read. Python 2 sources are "
                      "converted on the fly:\nthe script, what it imports from beside it, and installed "
                      "modules that today's Python cannot read or\nthat find their neighbours by name alone. "
                      "A first line #!/usr/bin/env python2 or python3 decides\nwhat a script is that could be either. "
                      "cPickle reads what Python 2 pickled. Names that\nPython's library and NumPy gave up since, as "
                      "collections.Iterable, numpy.int and time.clock, are there.\nThe interpreter is $CROTON_PYTHON, else the one "
                      "that croton was built for. What the script started ends with croton when that is\n"
                      "stopped or killed, but for what it detached (setsid).";
    command.rest = Rest::AfterFile;
    command.leastWords = 1;
    command.run = run;
    return command;
}

} // namespace app

"""The name of an item stands in the name of its test."""


def pytest_configure(config):
    config.addinivalue_line("markers", "item(rank, name): what of Theano's interface this is the test of")


def pytest_collection_modifyitems(items):
    for test in items:
        mark = test.get_closest_marker("item")
        if mark:
            test._nodeid += " [%d %s]" % mark.args

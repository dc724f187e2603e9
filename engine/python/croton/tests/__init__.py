"""theano.tests"""

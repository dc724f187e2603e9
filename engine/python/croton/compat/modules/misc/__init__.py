"""theano.misc"""

"""Importing it opens a card: the one that functions run on, else the first."""
from croton.pycuda import driver

driver.init()
device = driver.Device(driver.default_number())
context = device.make_context()

"""The workbench: a local web application in which parameters move, and everything else with them."""

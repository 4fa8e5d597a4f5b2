"""The views of a workbench: one file each."""

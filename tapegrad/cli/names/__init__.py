"""The packages that stand in for others, as files on the path of the modules.

`tapegrad run` binds names in its own process. Processes that this one starts afresh, such as a
loader's workers where they are spawned, get its path alone: with this folder on it, they find there
what they import. See `bind`.
"""

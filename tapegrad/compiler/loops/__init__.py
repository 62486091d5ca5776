"""From a graph to loops: views in place of moves, groups of operations, stages, and a memory plan.

Nothing here knows what the loops are written in.
"""

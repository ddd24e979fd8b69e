"""Stand-ins for the engines: their base classes and functions, written down from their sources, and their
loops.
"""

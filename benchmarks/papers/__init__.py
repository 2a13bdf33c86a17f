"""Every table and figure of the five papers, run again beside the printed numbers."""

"""Every table and figure of the five papers, reproduced beside the printed numbers."""

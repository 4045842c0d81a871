"""Figures of reports: one module a figure; `choose` knows which fits an observation."""

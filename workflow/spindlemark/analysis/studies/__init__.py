"""Figures of the published studies as data, and the audit that computes the claims of their texts again."""

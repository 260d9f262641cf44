"""Analysis: records and published figures in DuckDB, statistics, recommendations, and the audit of published claims."""

"""Reference: the figures of published studies as data, and the audit that re-derives what their texts conclude."""

"""Site: findings and database -> Hugo data, downloads and charts of one version; Hugo -> HTML; versions -> one folder."""

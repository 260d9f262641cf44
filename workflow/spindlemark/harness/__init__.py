"""What a benchmark family uses: repetitions, environment, gates, runners for fio and bonnie++."""

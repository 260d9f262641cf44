"""Harness: what a benchmark family is written with: repetitions, volumes, environment, fio and bonnie++ runners."""

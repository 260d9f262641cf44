"""Measuring: experiments, identity, plan, job order, driver and run state."""

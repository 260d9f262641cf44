-- Insert one vague word with its threshold.
insert into vague_word (word, relation, bound, unit, reason) values (?, ?, ?, ?, ?);

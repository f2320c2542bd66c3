-- Storage, statistics, and limits of the Worker's role.

-- The deadline of a request is 5 s: nobody waits for what takes longer, and a lock is given up in time to respond with 503.
ALTER ROLE registry_worker SET statement_timeout = '5s';
ALTER ROLE registry_worker SET lock_timeout = '3s';
-- Days are UTC days.
ALTER ROLE registry_worker SET timezone = 'UTC';
-- All statements are short: starting parallel workers or compiling them would cost more than it could save.
ALTER ROLE registry_worker SET max_parallel_workers_per_gather = 0;
ALTER ROLE registry_worker SET jit = off;
-- Similarity of words in searches: 0.4 finds two swapped letters, the default of 0.6 does not.
ALTER ROLE registry_worker SET pg_trgm.word_similarity_threshold = 0.4;

-- Rows that every event or report updates: with free space on their page, updates do not touch the indexes.
ALTER TABLE agent_stats SET (fillfactor = 50);
ALTER TABLE agent_evidence SET (fillfactor = 70);
ALTER TABLE number_slots SET (fillfactor = 10);
ALTER TABLE idempotency_usage SET (fillfactor = 50);
-- New entries are merged immediately: a search must not read a list of unmerged ones.
ALTER INDEX agents_search SET (fastupdate = off);
ALTER INDEX agents_name_trigrams SET (fastupdate = off);
ALTER INDEX agents_specializations SET (fastupdate = off);
-- Hashes cannot be compressed.
ALTER TABLE tlog_tiles ALTER hashes SET STORAGE EXTERNAL;

-- ANALYZE keeps samples of the values of a column, and would keep them of texts that are later redacted or erased. No
-- statement compares these columns.
ALTER TABLE activity_events ALTER metadata SET STATISTICS 0;
ALTER TABLE incidents ALTER title SET STATISTICS 0, ALTER description SET STATISTICS 0, ALTER resolution SET STATISTICS 0;
ALTER TABLE notifications ALTER title SET STATISTICS 0, ALTER body SET STATISTICS 0;
ALTER TABLE webhook_events ALTER data SET STATISTICS 0;
ALTER TABLE webhook_attempts ALTER response_excerpt SET STATISTICS 0, ALTER error SET STATISTICS 0;
ALTER TABLE idempotency_keys ALTER answer SET STATISTICS 0;
ALTER TABLE tlog_outbox ALTER facts SET STATISTICS 0, ALTER texts SET STATISTICS 0;
ALTER TABLE tlog_facts ALTER facts SET STATISTICS 0, ALTER texts SET STATISTICS 0;

INSERT INTO tlog_state DEFAULT VALUES ON CONFLICT DO NOTHING;

-- A search by class, with or without a least score, as a range of an index: else a third of all agents is read to count
-- at most 10,000 of them. Locks: writers of agents wait for one build, a scan of the table.
CREATE INDEX "agents_class" ON "agents" USING btree ("class","id");
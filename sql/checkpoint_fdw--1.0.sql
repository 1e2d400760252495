/* sql/checkpoint_fdw--1.0.sql */

-- complain if the script is sourced in psql rather than run by CREATE EXTENSION
\echo Use "CREATE EXTENSION checkpoint_fdw" to load this file. \quit

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;


---- the foreign data wrapper

CREATE FUNCTION @extschema@.handler() RETURNS fdw_handler
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_handler';

CREATE FUNCTION @extschema@.validator(options text[], catalog oid) RETURNS void
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_validator';

CREATE FOREIGN DATA WRAPPER checkpoint_fdw
  HANDLER @extschema@.handler
  VALIDATOR @extschema@.validator;

COMMENT ON FUNCTION @extschema@.handler() IS 'Internal: the callbacks of the foreign data wrapper';
COMMENT ON FUNCTION @extschema@.validator(text[], oid) IS 'Internal: checks options of servers, user mappings, tables and columns';
COMMENT ON FOREIGN DATA WRAPPER checkpoint_fdw IS 'REST APIs as foreign tables, loaded exactly once';

CREATE FUNCTION @extschema@.options(
  OUT name text, OUT place text, OUT type text, OUT "default" text, OUT help text)
RETURNS SETOF record
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 50 AS 'MODULE_PATHNAME', 'checkpoint_fdw_options';
COMMENT ON FUNCTION @extschema@.options() IS 'all options of servers, user mappings, tables and columns';


---- the catalog: written by the library only

CREATE SEQUENCE @extschema@.checkpoint_id_seq;
CREATE SEQUENCE @extschema@.batch_seq;

-- one row a stream; half-empty pages keep its updates HOT
CREATE TABLE @extschema@.checkpoint (
  id            bigint PRIMARY KEY DEFAULT nextval('@extschema@.checkpoint_id_seq'),
  foreign_table regclass NOT NULL,
  consumer      text COLLATE "C" NOT NULL,
  partition     jsonb NOT NULL DEFAULT '{}',
  position      jsonb,
  fingerprint   text,
  target        text,
  batch         bigint,
  pending       boolean NOT NULL DEFAULT false,
  not_before    timestamptz,
  held_back     bigint NOT NULL DEFAULT 0,
  failures      integer NOT NULL DEFAULT 0,
  last_error    text,
  updated_at    timestamptz,
  checked_at    timestamptz
) WITH (fillfactor = 50);

-- a key of any length: hashes of the partition's text, 128 bits together
CREATE UNIQUE INDEX checkpoint_stream ON @extschema@.checkpoint
  (foreign_table, consumer,
   hashtextextended((partition::text) COLLATE "C", 0),
   hashtextextended((partition::text) COLLATE "C", 1));

-- "timestamp" is part of the primary key, so none is written as the least bigint
CREATE TABLE @extschema@.delivered_key (
  checkpoint_id bigint NOT NULL,
  batch         bigint NOT NULL,
  key           text COLLATE "C" NOT NULL,
  "timestamp"   bigint NOT NULL DEFAULT (-9223372036854775808)::bigint,
  gone          bigint,
  PRIMARY KEY (checkpoint_id, key, "timestamp", batch)
);
CREATE INDEX delivered_key_gone ON @extschema@.delivered_key (checkpoint_id, gone) WHERE gone IS NOT NULL;

CREATE TABLE @extschema@.batch (
  batch         bigint PRIMARY KEY DEFAULT nextval('@extschema@.batch_seq'),
  checkpoint_id bigint NOT NULL,
  target        text,
  from_position jsonb,
  to_position   jsonb,
  records       bigint NOT NULL,
  skipped       bigint NOT NULL,
  held_back     bigint NOT NULL DEFAULT 0,
  rejected      bigint NOT NULL DEFAULT 0,
  pages         bigint NOT NULL,
  requests      bigint NOT NULL,
  retries       bigint NOT NULL DEFAULT 0,
  bytes         bigint NOT NULL,
  started_at    timestamptz NOT NULL,
  finished_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  xid           xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX batch_checkpoint ON @extschema@.batch (checkpoint_id, batch);

CREATE SEQUENCE @extschema@.rejected_record_seq;
CREATE TABLE @extschema@.rejected_record (
  id            bigint PRIMARY KEY DEFAULT nextval('@extschema@.rejected_record_seq'),
  checkpoint_id bigint NOT NULL,
  batch         bigint NOT NULL,
  key           text COLLATE "C",
  "timestamp"   bigint NOT NULL DEFAULT (-9223372036854775808)::bigint,
  record        bytea NOT NULL,
  sqlstate      text NOT NULL,
  error         text NOT NULL,
  rejected_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  corrected     bigint
);
CREATE INDEX rejected_record_key ON @extschema@.rejected_record (checkpoint_id, key);

CREATE TABLE @extschema@.completed_call (
  foreign_table regclass NOT NULL,
  consumer      text COLLATE "C" NOT NULL,
  key           text COLLATE "C" NOT NULL,
  completed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (foreign_table, consumer, key)
);

COMMENT ON TABLE @extschema@.rejected_record IS
  'Dead letters: records that could not be decoded (on_record_error) or that the target refused (ingest with on_error reject)';
COMMENT ON COLUMN @extschema@.rejected_record.key IS 'of the record; null where the target refused it';
COMMENT ON COLUMN @extschema@.rejected_record."timestamp" IS 'as in delivered_key';
COMMENT ON COLUMN @extschema@.rejected_record.record IS 'the bytes of the record, or its row as JSON where the target refused it';
COMMENT ON COLUMN @extschema@.rejected_record.corrected IS 'the batch that delivered another version of the record, which could be decoded';
COMMENT ON TABLE @extschema@.completed_call IS
  'Idempotence keys of calls of ingest and run that have found their stream caught up';

COMMENT ON SEQUENCE @extschema@.checkpoint_id_seq IS 'Ids of streams';
COMMENT ON SEQUENCE @extschema@.batch_seq IS 'Numbers of batches, one sequence for all streams';
COMMENT ON SEQUENCE @extschema@.rejected_record_seq IS 'Ids of dead letters';
COMMENT ON TABLE @extschema@.checkpoint IS
  'Where each stream (foreign table, consumer, partition) stands; written in the transaction that takes the rows';
COMMENT ON COLUMN @extschema@.checkpoint.position IS 'page, next, pages …: see walk.h; null is the beginning';
COMMENT ON COLUMN @extschema@.checkpoint.pending IS 'the last statement stopped before the end of the walk (LIMIT); more is there';
COMMENT ON COLUMN @extschema@.checkpoint.not_before IS 'until then the API wants to be left alone; null: it did not say so at the last load';
COMMENT ON COLUMN @extschema@.checkpoint.updated_at IS 'when the position last moved';
COMMENT ON COLUMN @extschema@.checkpoint.checked_at IS 'when the end of the list was last reached, with or without new records';
COMMENT ON TABLE @extschema@.delivered_key IS
  'Keys of records handed up that the API can serve again, and for a while those that it no longer can';
COMMENT ON COLUMN @extschema@.delivered_key."timestamp" IS 'microseconds since 1970, or the number in the timestamp column; least bigint: none';
COMMENT ON COLUMN @extschema@.delivered_key.gone IS 'the batch that pruned the entry; kept until that batch leaves the history, for rewind';
COMMENT ON COLUMN @extschema@.checkpoint.held_back IS 'records that the last complete load left for the next one, as their unit of time was not over';
COMMENT ON COLUMN @extschema@.checkpoint.fingerprint IS 'what gives the position its meaning: the options that it depends on';
COMMENT ON TABLE @extschema@.batch IS
  'Commit log: one row for each statement that moved a checkpoint; the last checkpoint_fdw.batch_history a stream are kept';
COMMENT ON COLUMN @extschema@.batch.skipped IS 'known records that the API served again';
COMMENT ON COLUMN @extschema@.batch.bytes IS 'of response bodies, decompressed';

-- rows of a table that is gone must not be dumped: as a bare number they would come back under another table
SELECT pg_catalog.pg_extension_config_dump('@extschema@.checkpoint',
  'WHERE foreign_table::oid IN (SELECT oid FROM pg_catalog.pg_class)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.delivered_key',
  'WHERE checkpoint_id IN (SELECT id FROM @extschema@.checkpoint WHERE foreign_table::oid IN (SELECT oid FROM pg_catalog.pg_class))');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.batch',
  'WHERE checkpoint_id IN (SELECT id FROM @extschema@.checkpoint WHERE foreign_table::oid IN (SELECT oid FROM pg_catalog.pg_class))');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.rejected_record',
  'WHERE checkpoint_id IN (SELECT id FROM @extschema@.checkpoint WHERE foreign_table::oid IN (SELECT oid FROM pg_catalog.pg_class))');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.completed_call',
  'WHERE foreign_table::oid IN (SELECT oid FROM pg_catalog.pg_class)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.checkpoint_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.rejected_record_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.batch_seq', '');


---- when a foreign table is dropped, its streams go too

CREATE FUNCTION @extschema@.forget_streams(foreign_tables oid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  DELETE FROM @extschema@.delivered_key k USING @extschema@.checkpoint c
   WHERE k.checkpoint_id = c.id AND c.foreign_table::oid = ANY (foreign_tables);
  DELETE FROM @extschema@.batch b USING @extschema@.checkpoint c
   WHERE b.checkpoint_id = c.id AND c.foreign_table::oid = ANY (foreign_tables);
  DELETE FROM @extschema@.rejected_record r USING @extschema@.checkpoint c
   WHERE r.checkpoint_id = c.id AND c.foreign_table::oid = ANY (foreign_tables);
  DELETE FROM @extschema@.completed_call d WHERE d.foreign_table::oid = ANY (foreign_tables);
  DELETE FROM @extschema@.checkpoint c WHERE c.foreign_table::oid = ANY (foreign_tables);
END;
REVOKE ALL ON FUNCTION @extschema@.forget_streams(oid[]) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.forget_streams(oid[]) IS
  'Internal: delete all rows about these foreign tables';

CREATE FUNCTION @extschema@.on_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  gone oid[] := (SELECT array_agg(objid) FROM pg_event_trigger_dropped_objects() WHERE object_type = 'foreign table');
BEGIN
  IF gone IS NOT NULL AND to_regclass('@extschema@.checkpoint') IS NOT NULL THEN
    PERFORM @extschema@.forget_streams(gone);
  END IF;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.on_drop() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.on_drop() IS 'Event trigger: a dropped foreign table takes its streams with it';

CREATE EVENT TRIGGER checkpoint_fdw_drop ON sql_drop
  WHEN TAG IN ('DROP FOREIGN TABLE', 'DROP SERVER', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION', 'DROP FOREIGN DATA WRAPPER', 'DROP TYPE', 'DROP TABLE')
  EXECUTE FUNCTION @extschema@.on_drop();
COMMENT ON EVENT TRIGGER checkpoint_fdw_drop IS 'A dropped foreign table takes its streams with it';


---- functions and views for users

CREATE FUNCTION @extschema@.reset(foreign_table regclass, consumer text DEFAULT NULL, partition jsonb DEFAULT NULL) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_reset';
COMMENT ON FUNCTION @extschema@.reset(regclass, text, jsonb) IS
  'Forget the checkpoints of a foreign table, so that the next load begins at the beginning. consumer, partition: only those (null: all). Returns how many. Waits for a running load; transactional. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.set_position(foreign_table regclass, "position" jsonb, consumer text DEFAULT NULL, partition jsonb DEFAULT NULL) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_set_position';
COMMENT ON FUNCTION @extschema@.set_position(regclass, jsonb, text, jsonb) IS
  'Put a checkpoint at a position, written as in the view status (null: the beginning). consumer: null is checkpoint_fdw.consumer; partition: null is all of that consumer. In checkpoint mode timestamp {"since": "2024-05-01T00:00:00Z"} will do. Keys of delivered records are kept in the modes that look them up anywhere, else forgotten. It counts as a batch without records, so that rewind undoes it. Returns how many checkpoints were set. A position that does not parse is an error (22023). Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.restart_walk(foreign_table regclass, consumer text DEFAULT NULL, partition jsonb DEFAULT NULL) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_restart_walk';
COMMENT ON FUNCTION @extschema@.restart_walk(regclass, text, jsonb) IS
  'Drop a stored page (or, where none is stored, a sync token) that the API no longer takes, and keep timestamps and keys: nothing is lost or doubled. consumer, partition: only those (null: all). Returns how many checkpoints there are. Refused in the modes cursor and offset (55000). Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.accept_change(foreign_table regclass, consumer text DEFAULT NULL, partition jsonb DEFAULT NULL) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_accept_change';
COMMENT ON FUNCTION @extschema@.accept_change(regclass, text, jsonb) IS
  'Go on from a checkpoint although an option that it depends on has changed, or its target was renamed. A stored page is dropped; in the modes cursor and offset it is kept, as it is all they have: the caller says that it still means the same. consumer, partition: only those (null: all). Returns how many checkpoints there are. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.fork(foreign_table regclass, from_consumer text, to_consumer text) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_fork';
COMMENT ON FUNCTION @extschema@.fork(regclass, text, text) IS
  'Give a new consumer the checkpoints of another one, for all partitions, so that a second target begins where the first one stands. Returns how many were copied. 42710 if the new consumer has one already. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.rewind(batch bigint) RETURNS bigint
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_rewind';
COMMENT ON FUNCTION @extschema@.rewind(bigint) IS
  'Put a checkpoint back to before a batch, so that this batch and all later ones of the stream come again; delete their rows from the target in the same transaction. Returns how many batches that undid. 42704 if the batch is no longer kept. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.discard_rejected(foreign_table regclass, last bigint DEFAULT NULL, consumer text DEFAULT NULL, partition jsonb DEFAULT NULL) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_discard_rejected';
COMMENT ON FUNCTION @extschema@.discard_rejected(regclass, bigint, text, jsonb) IS
  'Delete dead letters of a foreign table once they have been dealt with. last: up to this id of the view rejected (null: all); consumer, partition: only those (null: all). Returns how many. A later version of such a record may be dropped as known. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.position_text(foreign_table regclass, "position" jsonb) RETURNS text
LANGUAGE C STABLE AS 'MODULE_PATHNAME', 'checkpoint_fdw_position_text';
COMMENT ON FUNCTION @extschema@.position_text(regclass, jsonb) IS
  'A position in words, as in the view status; it holds no token and no URL';

CREATE VIEW @extschema@.status WITH (security_barrier) AS
SELECT c.foreign_table, c.consumer, c.partition,
       @extschema@.position_text(c.foreign_table, c.position) AS position_text,
       c.pending, c.not_before,
       CASE WHEN c.position ?| '{pages,started}' THEN
         coalesce(pg_catalog.to_timestamp((c.position ->> 'started')::double precision / 1000000),
                  (SELECT pg_catalog.min(o.started_at) FROM @extschema@.batch o
                    WHERE o.checkpoint_id = c.id
                      AND o.batch > coalesce((SELECT pg_catalog.max(e.batch) FROM @extschema@.batch e
                                               WHERE e.checkpoint_id = c.id AND NOT e.to_position ?| '{pages,started}'), 0)))
       END AS walk_since,
       c.held_back,
       (SELECT pg_catalog.count(*) FROM @extschema@.rejected_record j WHERE j.checkpoint_id = c.id AND j.corrected IS NULL) AS rejected,
       (SELECT pg_catalog.count(*) FROM @extschema@.delivered_key k WHERE k.checkpoint_id = c.id AND k.gone IS NULL) AS keys,
       c.target, c.batch, b.records AS last_records,
       c.checked_at, c.updated_at, c.failures, c.last_error,
       CASE WHEN pg_catalog.pg_has_role(r.relowner, 'USAGE') THEN c.position END AS position
  FROM @extschema@.checkpoint c
  JOIN pg_catalog.pg_class r ON r.oid = c.foreign_table AND r.relkind = 'f'
  LEFT JOIN @extschema@.batch b ON b.batch = c.batch
 WHERE pg_catalog.has_table_privilege(c.foreign_table, 'SELECT');
COMMENT ON VIEW @extschema@.status IS
  'Where every stream stands, for the foreign tables that the current user may select from; the position itself is for the owner';
COMMENT ON COLUMN @extschema@.status.foreign_table IS 'the foreign table that is read';
COMMENT ON COLUMN @extschema@.status.consumer IS 'who reads it: the setting checkpoint_fdw.consumer';
COMMENT ON COLUMN @extschema@.status.partition IS 'the values of the param columns';
COMMENT ON COLUMN @extschema@.status.position_text IS 'where the stream stands, in words';
COMMENT ON COLUMN @extschema@.status.pending IS 'the last load stopped before the end of the walk (LIMIT, a batch); more is there';
COMMENT ON COLUMN @extschema@.status.not_before IS 'more is pending, but until then the API wants to be left alone';
COMMENT ON COLUMN @extschema@.status.walk_since IS 'when the open walk began; null: none is open';
COMMENT ON COLUMN @extschema@.status.held_back IS 'records that the last complete load left for the next one, as their unit of time was not over';
COMMENT ON COLUMN @extschema@.status.rejected IS 'dead letters of the stream that no later version has corrected, see the view rejected';
COMMENT ON COLUMN @extschema@.status.keys IS 'keys of delivered records that the API can serve again';
COMMENT ON COLUMN @extschema@.status.target IS 'the table that it feeds';
COMMENT ON COLUMN @extschema@.status.batch IS 'the last batch';
COMMENT ON COLUMN @extschema@.status.last_records IS 'records of the last batch';
COMMENT ON COLUMN @extschema@.status.checked_at IS 'when the end of the list was last reached, with or without new records';
COMMENT ON COLUMN @extschema@.status.updated_at IS 'when the position last moved';
COMMENT ON COLUMN @extschema@.status.failures IS 'loads by ingest or run that have failed since the last good one';
COMMENT ON COLUMN @extschema@.status.last_error IS 'the error of the last of them';
COMMENT ON COLUMN @extschema@.status.position IS 'as set_position takes it; for the owner of the foreign table only';

CREATE VIEW @extschema@.batches WITH (security_barrier) AS
SELECT b.batch, c.foreign_table, c.consumer, c.partition, b.target, b.records, b.skipped, b.rejected,
       b.pages, b.requests, b.retries, b.bytes, b.started_at, b.finished_at, b.xid
  FROM @extschema@.batch b
  JOIN @extschema@.checkpoint c ON c.id = b.checkpoint_id
 WHERE pg_catalog.has_table_privilege(c.foreign_table, 'SELECT');
COMMENT ON VIEW @extschema@.batches IS
  'Commit log of all streams that the current user may select from: one row for each statement that moved a checkpoint';
COMMENT ON COLUMN @extschema@.batches.batch IS 'for rewind, and what a column with source batch holds';
COMMENT ON COLUMN @extschema@.batches.foreign_table IS 'the foreign table that was read';
COMMENT ON COLUMN @extschema@.batches.consumer IS 'for whom: the setting checkpoint_fdw.consumer';
COMMENT ON COLUMN @extschema@.batches.partition IS 'the values of the param columns';
COMMENT ON COLUMN @extschema@.batches.target IS 'the table that took the rows; null: a temporary one, or a position set by hand';
COMMENT ON COLUMN @extschema@.batches.records IS 'handed up to the statement';
COMMENT ON COLUMN @extschema@.batches.skipped IS 'known records that the API served again';
COMMENT ON COLUMN @extschema@.batches.rejected IS 'records that went among the dead letters';
COMMENT ON COLUMN @extschema@.batches.pages IS 'pages read';
COMMENT ON COLUMN @extschema@.batches.requests IS 'requests sent, those asked ahead included';
COMMENT ON COLUMN @extschema@.batches.retries IS 'requests sent again after a failure';
COMMENT ON COLUMN @extschema@.batches.bytes IS 'of response bodies, decompressed';
COMMENT ON COLUMN @extschema@.batches.started_at IS 'when the statement asked for its first row';
COMMENT ON COLUMN @extschema@.batches.finished_at IS 'when the scan ended; the commit came later';
COMMENT ON COLUMN @extschema@.batches.xid IS 'the transaction';

CREATE FUNCTION @extschema@.record_text(record bytea) RETURNS text
LANGUAGE C IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_record_text';
COMMENT ON FUNCTION @extschema@.record_text(bytea) IS
  'The bytes of a record as text; bytes that are no text in the database''s encoding are escaped, as in encode(…, ''escape'')';

CREATE VIEW @extschema@.rejected WITH (security_barrier) AS
SELECT j.id, c.foreign_table, c.consumer, c.partition, j.batch, j.key, @extschema@.record_text(j.record) AS record,
       j.sqlstate, j.error, j.rejected_at, j.corrected
  FROM @extschema@.rejected_record j
  JOIN @extschema@.checkpoint c ON c.id = j.checkpoint_id
 WHERE pg_catalog.has_table_privilege(c.foreign_table, 'SELECT');
COMMENT ON VIEW @extschema@.rejected IS
  'Dead letters of the foreign tables that the current user may select from: records that could not be decoded (option on_record_error) or that the target refused (ingest with on_error reject)';
COMMENT ON COLUMN @extschema@.rejected.id IS 'number of the dead letter';
COMMENT ON COLUMN @extschema@.rejected.foreign_table IS 'the foreign table that was read';
COMMENT ON COLUMN @extschema@.rejected.consumer IS 'for whom: the setting checkpoint_fdw.consumer';
COMMENT ON COLUMN @extschema@.rejected.partition IS 'the values of the param columns';
COMMENT ON COLUMN @extschema@.rejected.batch IS 'the batch that took the record';
COMMENT ON COLUMN @extschema@.rejected.key IS 'key of the record; null where the target refused it';
COMMENT ON COLUMN @extschema@.rejected.record IS 'the record as received, or its row as JSON where the target refused it';
COMMENT ON COLUMN @extschema@.rejected.sqlstate IS 'of the error';
COMMENT ON COLUMN @extschema@.rejected.error IS 'message of the error';
COMMENT ON COLUMN @extschema@.rejected.rejected_at IS 'when it was rejected';
COMMENT ON COLUMN @extschema@.rejected.corrected IS 'the batch that delivered another version of the record, which could be decoded';

GRANT SELECT ON @extschema@.status, @extschema@.batches, @extschema@.rejected TO PUBLIC;


---- progress of running statements

-- parameters 11 and 20 are not COPY's; progress.c has the same numbers
CREATE VIEW @extschema@.progress AS
SELECT s.pid, s.relid::regclass AS foreign_table, s.param11 AS pages, s.param3 AS records, s.param1 AS bytes
  FROM pg_catalog.pg_stat_get_progress_info('COPY') s
 WHERE s.param20 = 7163093338066150519
   AND s.datid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database());
COMMENT ON VIEW @extschema@.progress IS
  'How far running statements of this database are that read a foreign table: all of them for members of pg_read_all_stats, else those of roles that the current user is a member of';
COMMENT ON COLUMN @extschema@.progress.pid IS 'the backend, as in pg_stat_activity';
COMMENT ON COLUMN @extschema@.progress.foreign_table IS 'the foreign table that it reads';
COMMENT ON COLUMN @extschema@.progress.pages IS 'pages read';
COMMENT ON COLUMN @extschema@.progress.records IS 'records handed up to the statement';
COMMENT ON COLUMN @extschema@.progress.bytes IS 'of the pages, decompressed';
GRANT SELECT ON @extschema@.progress TO PUBLIC;


---- batches: one transaction each
-- The procedures run with the caller's search_path and rights: a SET clause or SECURITY DEFINER would forbid COMMIT.
-- So they qualify every name and operator, and leave what is to be computed to functions with a path of their own.

CREATE FUNCTION @extschema@.begin_call() RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_begin_call';
COMMENT ON FUNCTION @extschema@.begin_call() IS
  'Internal: refuse to run inside a transaction block (25001), inside a function (2D000), or with settings under which batches do not follow each other (55000)';

CREATE FUNCTION @extschema@.check_source(foreign_table regclass) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_check_source';
COMMENT ON FUNCTION @extschema@.check_source(regclass) IS
  'Internal: refuse what cannot be loaded in batches, or not by the current user';

CREATE FUNCTION @extschema@.touched(
  OUT foreign_table regclass, OUT consumer text, OUT partition text, OUT rows bigint, OUT batch bigint, OUT pages bigint,
  OUT records bigint, OUT rejected bigint, OUT pending boolean, OUT complete boolean, OUT pause double precision) RETURNS SETOF record
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_touched';
COMMENT ON FUNCTION @extschema@.touched() IS
  'Internal: the streams that this transaction has taken records from; pending null: the statement did not get to its end; batch null: the stream did not move';

CREATE FUNCTION @extschema@.record_failure(error text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_record_failure';
COMMENT ON FUNCTION @extschema@.record_failure(text) IS
  'Internal: count a failed batch of the stream that this transaction has read last';

CREATE FUNCTION @extschema@.reject(record text, sqlstate text, error text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_reject';
COMMENT ON FUNCTION @extschema@.reject(text, text, text) IS
  'Internal: a dead letter of the batch that this transaction has written last';

CREATE FUNCTION @extschema@.completed_at(foreign_table regclass, consumer text, key text) RETURNS text
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_completed_at';
COMMENT ON FUNCTION @extschema@.completed_at(regclass, text, text) IS
  'Internal: when the call with this idempotence key was completed, or null; foreign table null: any; needs UPDATE on the foreign table';

CREATE FUNCTION @extschema@.complete(foreign_table regclass, consumer text, key text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_complete';
COMMENT ON FUNCTION @extschema@.complete(regclass, text, text) IS
  'Internal: note an idempotence key; needs UPDATE on the foreign table (42501)';

CREATE FUNCTION @extschema@.throw(failure jsonb) RETURNS void
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_throw';
COMMENT ON FUNCTION @extschema@.throw(jsonb) IS
  'Internal: raise an error that was caught before, with all that it said';


---- what a batch is made of

CREATE FUNCTION @extschema@.source_rows(source regclass, filter text, partition jsonb) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  rows text := source::text;
  word text := 'WHERE';
  name text;
  value text;
  attribute pg_attribute;
  equals text;
BEGIN
  FOR name, value IN SELECT * FROM jsonb_each_text(partition) LOOP
    SELECT * INTO attribute FROM pg_attribute a WHERE a.attrelid = source AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'undefined_column',
        MESSAGE = format('foreign table %s has no column "%s"', source, name),
        HINT = 'The columns of the partitions query are named like param columns of the foreign table: SELECT name AS repo FROM repos.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_options_to_table(attribute.attfdwoptions) o WHERE o.option_name = 'param') THEN
      RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = format('column "%s" of foreign table %s is no param column', name, source),
        DETAIL = 'The API would send all records for each value, and a load takes what it reads.',
        HINT = 'Give the column the option param if the API can be asked for a value of it.';
    END IF;
    SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname) INTO equals
      FROM pg_opclass c
      JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype AND m.amopstrategy = 3
      JOIN pg_operator o ON o.oid = m.amopopr
      JOIN pg_namespace n ON n.oid = o.oprnamespace
     WHERE c.opcmethod = (SELECT a.oid FROM pg_am a WHERE a.amname = 'btree') AND c.opcdefault AND c.opcintype = attribute.atttypid;
    rows := format('%s %s %I %s %L::%s', rows, word, name, coalesce(equals, 'OPERATOR(pg_catalog.=)'), value,
                   format_type(attribute.atttypid, attribute.atttypmod));
    word := 'AND';
  END LOOP;
  -- a filter may end with a comment
  IF filter IS NOT NULL THEN
    rows := format(E'%s %s (%s\n)', rows, word, filter);
  END IF;
  RETURN rows;
END
$$;
COMMENT ON FUNCTION @extschema@.source_rows(regclass, text, jsonb) IS
  'Internal: what to read in FROM: the foreign table, and WHERE with the values of a partition and the filter';

CREATE FUNCTION @extschema@.ingest_command(source regclass, target regclass, rows text, conflict text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  missing text;    -- columns that the target lacks
  columns text;
  overriding text;
  keys text[];     -- of the primary key
  key_list text;
  distinct_on text;
  assignments text;
BEGIN
  WITH pair AS (
    SELECT s.attnum, s.attname, t.attnum IS NULL AS missing, t.attidentity = 'a' AS overridden, s.atttypid, s.atttypmod
      FROM pg_attribute s
      LEFT JOIN pg_attribute t ON t.attrelid = target AND t.attname = s.attname AND t.attnum > 0 AND NOT t.attisdropped
     WHERE s.attrelid = source AND s.attnum > 0 AND NOT s.attisdropped AND coalesce(t.attgenerated, '') = '')
  SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) FILTER (WHERE pair.missing),
         string_agg(quote_ident(attname), ', ' ORDER BY attnum),
         CASE WHEN bool_or(overridden) THEN ' OVERRIDING SYSTEM VALUE' ELSE '' END
    INTO missing, columns, overriding
    FROM pair;
  IF missing IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'undefined_column',
      MESSAGE = format('table %s lacks columns of foreign table %s: %s', target, source, missing),
      HINT = 'Add them, drop them from the foreign table, or write the statement yourself and run it with checkpoint_fdw.run.';
  END IF;
  IF conflict <> 'update' THEN
    RETURN format('INSERT INTO %s (%s)%s SELECT %s FROM %s%s', target, columns, overriding, columns, rows,
                  CASE WHEN conflict = 'nothing' THEN ' ON CONFLICT DO NOTHING' ELSE '' END);
  END IF;

  SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum)) INTO keys
    FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])
   WHERE i.indrelid = target AND i.indisprimary;
  IF keys IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_column_reference',
      MESSAGE = format('table %s has no primary key', target),
      HINT = 'conflict => ''update'' finds the row to be updated by it: ALTER TABLE … ADD PRIMARY KEY.';
  END IF;
  SELECT string_agg(quote_ident(k), ', ') FILTER (WHERE s.attnum IS NULL) INTO missing
    FROM unnest(keys) k LEFT JOIN pg_attribute s ON s.attrelid = source AND s.attname = k AND s.attnum > 0 AND NOT s.attisdropped;
  IF missing IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'undefined_column',
      MESSAGE = format('foreign table %s lacks columns of the primary key of table %s: %s', source, target, missing),
      HINT = 'conflict => ''update'' finds the row to be updated by it.';
  END IF;
  -- two rows of one key are those that are equal once they are in the target
  SELECT string_agg(quote_ident(k.name), ', ' ORDER BY k.n),
         string_agg(quote_ident(k.name)
                    || CASE WHEN (s.atttypid, s.atttypmod) <> (t.atttypid, t.atttypmod) THEN '::' || format_type(t.atttypid, t.atttypmod) ELSE '' END
                    || CASE WHEN t.attcollation <> 0 AND t.attcollation <> s.attcollation THEN format(' COLLATE %I.%I', n.nspname, c.collname) ELSE '' END,
                    ', ' ORDER BY k.n)
    INTO key_list, distinct_on
    FROM unnest(keys) WITH ORDINALITY k (name, n)
    JOIN pg_attribute s ON s.attrelid = source AND s.attname = k.name
    JOIN pg_attribute t ON t.attrelid = target AND t.attname = k.name
    LEFT JOIN pg_collation c ON c.oid = t.attcollation
    LEFT JOIN pg_namespace n ON n.oid = c.collnamespace;
  SELECT string_agg(format('%1$I = excluded.%1$I', s.attname), ', ' ORDER BY s.attnum) INTO assignments
    FROM pg_attribute s
    JOIN pg_attribute t ON t.attrelid = target AND t.attname = s.attname AND t.attnum > 0 AND NOT t.attisdropped
   WHERE s.attrelid = source AND s.attnum > 0 AND NOT s.attisdropped AND t.attgenerated = '' AND t.attidentity <> 'a' AND s.attname <> ALL (keys);
  RETURN format('INSERT INTO %s (%s)%s SELECT %s FROM (SELECT DISTINCT ON (%s) %s, row_number() OVER () AS "checkpoint_fdw.number" FROM %s'
                ' ORDER BY %s, "checkpoint_fdw.number" DESC) AS "checkpoint_fdw.rows" ON CONFLICT (%s) DO %s',
                target, columns, overriding, columns, distinct_on, columns, rows, distinct_on, key_list,
                coalesce('UPDATE SET ' || assignments, 'NOTHING'));
END
$$;
COMMENT ON FUNCTION @extschema@.ingest_command(regclass, regclass, text, text) IS
  'Internal: the INSERT that loads rows of the foreign table into the target, columns by name';

CREATE FUNCTION @extschema@.first_rows(rows text, room bigint) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT CASE WHEN room IS NULL THEN rows ELSE format('(SELECT * FROM %s LIMIT %s) AS "checkpoint_fdw.first"', rows, room) END;
END;
COMMENT ON FUNCTION @extschema@.first_rows(text, bigint) IS 'Internal: no more than so many rows; null: all';

CREATE FUNCTION @extschema@.is_about_row(state text) RETURNS boolean
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT left(state, 2) NOT IN ('08', '25', '28', '40', '53', '55', '57', '58', 'F0', 'HV', 'XX') AND (left(state, 2) <> '42' OR state = '42501');
END;
COMMENT ON FUNCTION @extschema@.is_about_row(text) IS
  'Internal: can an error with this SQLSTATE be the fault of a row, and not of the server, a lock or the statement? (42501: a policy)';

-- One row: into the target, or among the dead letters if the target refuses it.  A row that cannot even be read stays an error.
CREATE FUNCTION @extschema@.take_row(source regclass, target regclass, rows text, conflict text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  state text;
  message text;
BEGIN
  EXECUTE pg_catalog.format('CREATE TEMPORARY TABLE "checkpoint_fdw.row" (LIKE %s) ON COMMIT DROP', source);
  EXECUTE pg_catalog.format('INSERT INTO pg_temp."checkpoint_fdw.row" SELECT * FROM %s LIMIT 1', rows);
  BEGIN
    EXECUTE @extschema@.ingest_command(source, target, 'pg_temp."checkpoint_fdw.row"', conflict);
    SET CONSTRAINTS ALL IMMEDIATE;
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    IF NOT @extschema@.is_about_row(state) THEN
      RAISE;
    END IF;
    EXECUTE 'SELECT @extschema@.reject(pg_catalog.to_jsonb(r.*)::pg_catalog.text, $1, $2) FROM pg_temp."checkpoint_fdw.row" r' USING state, message;
  END;
END
$$;
COMMENT ON FUNCTION @extschema@.take_row(regclass, regclass, text, text) IS
  'Internal: take one row; if the target refuses it, put it among the dead letters';


---- batch after batch

-- What to do after a try.  failure null: it succeeded.  A row that the target refuses is among the next so many (suspects):
-- they are taken in smaller portions (room), until one row is left that must be it.
CREATE FUNCTION @extschema@.next_try(
  failure jsonb, rows bigint, reject boolean,
  INOUT tries integer, INOUT room bigint, INOUT suspects bigint, OUT pause double precision, OUT give_up boolean)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  give_up := false;
  IF failure ->> 'sqlstate' IN ('40001', '40P01') THEN
    tries := tries + 1;
    give_up := tries > 10;
    pause := least(1, 0.01 * 2 ^ tries) * (0.5 + random() / 2);
    RETURN;
  END IF;
  tries := 0;
  IF failure IS NULL AND room IS NULL THEN
    RETURN;
  ELSIF failure IS NULL THEN
    suspects := suspects - room;
    room := suspects / 2;
  ELSIF NOT reject OR room = 1 OR coalesce(rows, 0) = 0 OR NOT @extschema@.is_about_row(failure ->> 'sqlstate') THEN
    give_up := true;
    RETURN;
  ELSIF room IS NULL THEN
    suspects := rows;
    room := suspects - 1;    -- most likely it is the last that was read
  ELSE
    suspects := room;
    room := suspects / 2;
  END IF;
  room := greatest(room, 1);
  IF suspects <= 0 THEN
    suspects := NULL;
    room := NULL;
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.next_try(jsonb, bigint, boolean, integer, bigint, bigint) IS
  'Internal: what to do after a batch or its failure';

CREATE FUNCTION @extschema@.caught(
  sqlstate text, message text, detail text, hint text, context text,
  schema_name text, table_name text, column_name text, datatype_name text, constraint_name text, label text) RETURNS jsonb
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  -- the context without the procedures' own part of it
  SELECT jsonb_build_object(
    'sqlstate', sqlstate, 'message', message, 'detail', detail, 'hint', hint,
    'context', concat_ws(E'\n', nullif(regexp_replace(context, '(^|\n)PL/pgSQL function checkpoint_fdw\..*', ''), ''), label),
    'schema_name', schema_name, 'table_name', table_name, 'column_name', column_name, 'datatype_name', datatype_name,
    'constraint_name', constraint_name);
END;
COMMENT ON FUNCTION @extschema@.caught(text, text, text, text, text, text, text, text, text, text, text) IS
  'Internal: an error as a value';

-- In the transaction of a batch: what it did; and if it found the stream caught up, the idempotence key.
CREATE FUNCTION @extschema@.finish_batch(
  key text, OUT streams bigint, OUT name text, OUT batch bigint, OUT pages bigint, OUT records bigint, OUT rejected bigint, OUT pending boolean, OUT pause double precision)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  SELECT count(*), CASE WHEN count(*) = 1 THEN min(t.foreign_table::text || CASE WHEN t.partition <> '{}' THEN ' ' || t.partition ELSE '' END) END,
         max(t.batch), coalesce(sum(t.pages), 0), coalesce(sum(t.records), 0), coalesce(sum(t.rejected), 0), coalesce(bool_or(t.pending), false),
         max(t.pause)
    INTO streams, name, batch, pages, records, rejected, pending, pause
    FROM @extschema@.touched() t;
  IF pending AND batch IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
      MESSAGE = 'the batch has moved no checkpoint although more is pending',
      HINT = 'Raise batch_pages or batch_seconds.';
  END IF;
  IF key IS NOT NULL AND NOT pending THEN
    PERFORM @extschema@.complete(t.foreign_table, t.consumer, key) FROM (SELECT DISTINCT w.foreign_table, w.consumer FROM @extschema@.touched() w) t;
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.finish_batch(text) IS 'Internal: what the batch of this transaction did';

CREATE FUNCTION @extschema@.report_batch(
  streams bigint, name text, batch bigint, pages bigint, records bigint, rejected bigint, total bigint, began timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  seconds double precision := extract(epoch FROM clock_timestamp() - began);
BEGIN
  IF streams = 0 THEN
    RETURN;
  ELSIF batch IS NULL THEN
    RAISE NOTICE '%: nothing new', coalesce(name, streams || ' checkpoints');
  ELSE
    RAISE NOTICE USING
      MESSAGE = format('%s, batch %s: %s pages, %s records%s', coalesce(name, streams || ' checkpoints'), batch, pages, records,
                       CASE WHEN rejected > 0 THEN format(', %s rejected', rejected) ELSE '' END),
      DETAIL = format('%s records/s; %s records so far.', round(records / greatest(seconds, 0.000001)), total);
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.report_batch(bigint, text, bigint, bigint, bigint, bigint, bigint, timestamptz) IS
  'Internal: the NOTICE after a batch';

-- One batch and one transaction after the other, until nothing that the last one read is pending.
CREATE PROCEDURE @extschema@.load(
  INOUT failure jsonb, INOUT total bigint, INOUT streams bigint,
  command text, source regclass, target regclass, rows text, label text,
  consumer text, batch_pages integer, conflict text, reject boolean, key text)
LANGUAGE plpgsql
AS $$
DECLARE
  began timestamptz;
  result record;
  tries integer := 0;
  room bigint;
  suspects bigint;
  pause double precision;
  give_up boolean;
  state text;
  message text;
  detail text;
  hint text;
  context text;
  schema_name text;
  table_name text;
  column_name text;
  datatype_name text;
  constraint_name text;
BEGIN
  LOOP
    began := pg_catalog.clock_timestamp();
    failure := NULL;
    -- settings of this transaction alone
    PERFORM pg_catalog.set_config('checkpoint_fdw.consumer', consumer, true);
    IF batch_pages IS NOT NULL THEN
      PERFORM pg_catalog.set_config('checkpoint_fdw.batch_pages', batch_pages::pg_catalog.text, true);
    END IF;
    BEGIN
      IF room OPERATOR(pg_catalog.=) 1 THEN
        PERFORM @extschema@.take_row(source, target, rows, conflict);
      ELSE
        EXECUTE coalesce(command, @extschema@.ingest_command(source, target, @extschema@.first_rows(rows, room), conflict));
      END IF;
      -- what a deferred constraint says at COMMIT nobody could catch
      SET CONSTRAINTS ALL IMMEDIATE;
      SELECT * INTO result FROM @extschema@.finish_batch(key);
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT,
        context = PG_EXCEPTION_CONTEXT, schema_name = SCHEMA_NAME, table_name = TABLE_NAME, column_name = COLUMN_NAME,
        datatype_name = PG_DATATYPE_NAME, constraint_name = CONSTRAINT_NAME;
      failure := @extschema@.caught(state, message, detail, hint, context, schema_name, table_name, column_name, datatype_name, constraint_name, label);
    END;
    SELECT n.tries, n.room, n.suspects, n.pause, n.give_up INTO tries, room, suspects, pause, give_up
      FROM @extschema@.next_try(failure, (SELECT pg_catalog.max(t.rows) FROM @extschema@.touched() t), reject, tries, room, suspects) n;
    IF give_up THEN
      PERFORM @extschema@.record_failure(message);
    END IF;
    COMMIT;
    EXIT WHEN give_up;
    IF failure IS NULL THEN
      total := total OPERATOR(pg_catalog.+) result.records;
      streams := result.streams;
      PERFORM @extschema@.report_batch(result.streams, result.name, result.batch, result.pages, result.records, result.rejected, total, began);
      EXIT WHEN NOT result.pending;
      pause := result.pause;
    END IF;
    -- no long transaction meanwhile
    WHILE pause OPERATOR(pg_catalog.>) 0.0::pg_catalog.float8 LOOP
      PERFORM pg_catalog.pg_sleep(least(pause, 10));
      COMMIT;
      pause := pause OPERATOR(pg_catalog.-) 10.0::pg_catalog.float8;
    END LOOP;
  END LOOP;
END
$$;
COMMENT ON PROCEDURE @extschema@.load(jsonb, bigint, bigint, text, regclass, regclass, text, text, text, integer, text, boolean, text) IS
  'Internal: batch after batch, for ingest and run';

CREATE FUNCTION @extschema@.check_call(
  argument text, value text, batch_pages integer, conflict text DEFAULT 'error', on_error text DEFAULT 'stop') RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  words text;
BEGIN
  IF value IS NULL THEN
    words := CASE argument WHEN 'target' THEN 'the table that takes the rows' ELSE 'the statement to be run' END;
  ELSIF batch_pages < 1 THEN
    argument := 'batch_pages';
    value := batch_pages;
    words := 'the number of pages after which a batch is committed, at least 1, or null for what the table''s options say';
  ELSIF coalesce(conflict NOT IN ('error', 'nothing', 'update'), true) THEN
    argument := 'conflict';
    value := conflict;
    words := 'error, nothing or update';
  ELSIF coalesce(on_error NOT IN ('stop', 'reject'), true) THEN
    argument := 'on_error';
    value := on_error;
    words := 'stop or reject';
  ELSE
    RETURN;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
    MESSAGE = format('invalid value for argument "%s": %s', argument, coalesce(quote_literal(value), 'null')),
    HINT = format('It is %s.', words);
END
$$;
COMMENT ON FUNCTION @extschema@.check_call(text, text, integer, text, text) IS 'Internal: the arguments of ingest and run';

CREATE FUNCTION @extschema@.is_completed(source regclass, consumer text, key text) RETURNS boolean
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  at text;
BEGIN
  IF key IS NULL THEN
    RETURN false;
  END IF;
  at := @extschema@.completed_at(source, consumer, key);
  IF at IS NOT NULL THEN
    RAISE NOTICE USING MESSAGE = 'the call with this idempotence key was committed before; nothing was read',
      DETAIL = format('It was committed at %s.', at);
  END IF;
  RETURN at IS NOT NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.is_completed(regclass, text, text) IS 'Internal: is a call a repetition? Says so by NOTICE.';

CREATE FUNCTION @extschema@.known_partitions(INOUT partitions jsonb[])
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  given integer := cardinality(partitions);
BEGIN
  -- null equals nothing: there is nothing to ask for
  partitions := ARRAY(SELECT p FROM unnest(partitions) WITH ORDINALITY u (p, n) WHERE NOT EXISTS (SELECT FROM jsonb_each_text(p) v WHERE v.value IS NULL) ORDER BY n);
  IF given = 0 THEN
    RAISE NOTICE 'the partitions query has no rows; nothing was read';
  ELSIF cardinality(partitions) < given THEN
    RAISE NOTICE 'rows of the partitions query that have a null are left out: %', given - cardinality(partitions);
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.known_partitions(jsonb[]) IS 'Internal: partitions without those that have a null';

CREATE FUNCTION @extschema@.command_key(command text, key text) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT 'run ' || to_hex(hashtextextended(command COLLATE "C", 0)) || ' ' || key;
END;
COMMENT ON FUNCTION @extschema@.command_key(text, text) IS 'Internal: a key for run: the same key with another command is another call';

CREATE PROCEDURE @extschema@.ingest(
  source regclass, target regclass, filter text DEFAULT NULL, partitions text DEFAULT NULL, consumer text DEFAULT NULL,
  conflict text DEFAULT 'error', on_error text DEFAULT 'stop', batch_pages integer DEFAULT 100, idempotence_key text DEFAULT NULL)
LANGUAGE plpgsql
AS $$
DECLARE
  part record;
  parts jsonb[] := '{}';
  partition jsonb;
  label text;
  failure jsonb;
  first_failure jsonb;
  failed integer := 0;
  left_over integer;    -- partitions, with this one
  total bigint := 0;
  streams bigint;
  skipped boolean := false;    -- busy
BEGIN
  PERFORM @extschema@.begin_call();
  COMMIT;
  consumer := coalesce(consumer, pg_catalog.current_setting('checkpoint_fdw.consumer'));
  PERFORM @extschema@.check_call('target', target::pg_catalog.text, batch_pages, conflict, on_error);
  PERFORM @extschema@.check_source(source);
  IF @extschema@.is_completed(source, consumer, idempotence_key) THEN
    RETURN;
  END IF;
  IF partitions IS NULL THEN
    parts := ARRAY[NULL]::pg_catalog.jsonb[];
  ELSE
    FOR part IN EXECUTE partitions LOOP
      parts := pg_catalog.array_append(parts, pg_catalog.to_jsonb(part));
    END LOOP;
    parts := @extschema@.known_partitions(parts);
  END IF;
  COMMIT;
  left_over := pg_catalog.cardinality(parts);
  FOREACH partition IN ARRAY parts LOOP
    label := 'partition ' OPERATOR(pg_catalog.||) partition::pg_catalog.text;
    streams := 0;
    CALL @extschema@.load(failure, total, streams, NULL, source, target, @extschema@.source_rows(source, filter, partition), label,
                          consumer, batch_pages, conflict, on_error OPERATOR(pg_catalog.=) 'reject',
                          CASE WHEN left_over OPERATOR(pg_catalog.=) 1 AND first_failure IS NULL AND NOT skipped THEN idempotence_key END);
    IF failure IS NOT NULL THEN
      failed := failed OPERATOR(pg_catalog.+) 1;
      first_failure := coalesce(first_failure, failure);
      IF partition IS NOT NULL THEN
        RAISE WARNING '% of foreign table % failed: %', label, source, failure OPERATOR(pg_catalog.->>) 'message';
      END IF;
    END IF;
    skipped := skipped OR streams OPERATOR(pg_catalog.=) 0;
    left_over := left_over OPERATOR(pg_catalog.-) 1;
  END LOOP;
  PERFORM @extschema@.throw(first_failure);
END
$$;
COMMENT ON PROCEDURE @extschema@.ingest(regclass, regclass, text, text, text, text, text, integer, text) IS
  'Load what is new in a foreign table into a target, columns by name, in batches with a COMMIT after each, until nothing is pending. filter: a WHERE condition; partitions: a query whose rows are values of param columns, each with a transaction of its own; conflict: error, nothing or update; on_error: stop, or reject rows that the target refuses; batch_pages: pages a batch; idempotence_key: a call that has been completed with it reads nothing. Not inside a transaction block (25001) or a function (2D000).';

CREATE PROCEDURE @extschema@.run(command text, consumer text DEFAULT NULL, batch_pages integer DEFAULT 100, idempotence_key text DEFAULT NULL)
LANGUAGE plpgsql
AS $$
DECLARE
  failure jsonb;
  total bigint := 0;
  streams bigint := 0;
  key text := @extschema@.command_key(command, idempotence_key);
BEGIN
  PERFORM @extschema@.begin_call();
  COMMIT;
  consumer := coalesce(consumer, pg_catalog.current_setting('checkpoint_fdw.consumer'));
  PERFORM @extschema@.check_call('command', command, batch_pages);
  IF @extschema@.is_completed(NULL, consumer, key) THEN
    RETURN;
  END IF;
  CALL @extschema@.load(failure, total, streams, command, NULL, NULL, NULL, NULL, consumer, batch_pages, NULL, false, key);
  PERFORM @extschema@.throw(failure);
  IF streams OPERATOR(pg_catalog.=) 0 THEN
    RAISE NOTICE 'the command has moved no checkpoint; it was run once';
  END IF;
END
$$;
COMMENT ON PROCEDURE @extschema@.run(text, text, integer, text) IS
  'Run a statement and COMMIT, again and again while a checkpoint from which it took records has more. consumer and batch_pages are set for it; idempotence_key: this command with this key reads nothing once it has been completed. Not inside a transaction block (25001) or a function (2D000).';

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
  batch         bigint,
  record        text NOT NULL,
  sqlstate      text NOT NULL,
  error         text NOT NULL,
  rejected_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX rejected_record_checkpoint ON @extschema@.rejected_record (checkpoint_id, hashtextextended(record COLLATE "C", 0));

CREATE TABLE @extschema@.completed_call (
  foreign_table regclass NOT NULL,
  consumer      text COLLATE "C" NOT NULL,
  key           text COLLATE "C" NOT NULL,
  completed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (foreign_table, consumer, key)
);

COMMENT ON TABLE @extschema@.rejected_record IS
  'Dead letters: records that could not be decoded (on_record_error) or that the target refused (ingest with on_error reject)';
COMMENT ON COLUMN @extschema@.rejected_record.record IS 'the bytes of the record, or its row as JSON where the target refused it';
COMMENT ON TABLE @extschema@.completed_call IS
  'Idempotence keys of calls of ingest and run that have found their stream caught up';

COMMENT ON SEQUENCE @extschema@.checkpoint_id_seq IS 'Ids of streams';
COMMENT ON SEQUENCE @extschema@.batch_seq IS 'Numbers of batches, one sequence for all streams';
COMMENT ON SEQUENCE @extschema@.rejected_record_seq IS 'Ids of dead letters';
COMMENT ON TABLE @extschema@.checkpoint IS
  'Where each stream (foreign table, consumer, partition) stands; written in the transaction that takes the rows';
COMMENT ON COLUMN @extschema@.checkpoint.position IS 'page, next, pages …: see walk.h; null is the beginning';
COMMENT ON COLUMN @extschema@.checkpoint.pending IS 'the last statement stopped before the end of the walk (LIMIT); more is there';
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
  'Go on from a checkpoint although an option that it depends on has changed. A stored page is dropped; in the modes cursor and offset it is kept, as it is all they have: the caller says that it still means the same. consumer, partition: only those (null: all). Returns how many checkpoints there are. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.fork(foreign_table regclass, from_consumer text, to_consumer text) RETURNS bigint
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_fork';
COMMENT ON FUNCTION @extschema@.fork(regclass, text, text) IS
  'Give a new consumer the checkpoints of another one, for all partitions, so that a second target begins where the first one stands. Returns how many were copied. 42710 if the new consumer has one already. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.rewind(batch bigint) RETURNS bigint
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_rewind';
COMMENT ON FUNCTION @extschema@.rewind(bigint) IS
  'Put a checkpoint back to before a batch, so that this batch and all later ones of the stream come again; delete their rows from the target in the same transaction. Returns how many batches that undid. 42704 if the batch is no longer kept. Owner of the foreign table only (42501).';

CREATE FUNCTION @extschema@.position_text(foreign_table regclass, "position" jsonb) RETURNS text
LANGUAGE C STABLE AS 'MODULE_PATHNAME', 'checkpoint_fdw_position_text';
COMMENT ON FUNCTION @extschema@.position_text(regclass, jsonb) IS
  'A position in words, as in the view status; it holds no token and no URL';

CREATE VIEW @extschema@.status WITH (security_barrier) AS
SELECT c.foreign_table, c.consumer, c.partition,
       @extschema@.position_text(c.foreign_table, c.position) AS position_text,
       c.pending,
       CASE WHEN c.position ?| '{pages,started}' THEN
         coalesce(pg_catalog.to_timestamp((c.position ->> 'started')::double precision / 1000000),
                  (SELECT pg_catalog.min(o.started_at) FROM @extschema@.batch o
                    WHERE o.checkpoint_id = c.id
                      AND o.batch > coalesce((SELECT pg_catalog.max(e.batch) FROM @extschema@.batch e
                                               WHERE e.checkpoint_id = c.id AND NOT e.to_position ?| '{pages,started}'), 0)))
       END AS walk_since,
       c.held_back,
       (SELECT pg_catalog.count(*) FROM @extschema@.rejected_record j WHERE j.checkpoint_id = c.id) AS rejected,
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
COMMENT ON COLUMN @extschema@.status.walk_since IS 'when the open walk began; null: none is open';
COMMENT ON COLUMN @extschema@.status.held_back IS 'records that the last complete load left for the next one, as their unit of time was not over';
COMMENT ON COLUMN @extschema@.status.rejected IS 'dead letters of the stream, see the view rejected';
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

GRANT SELECT ON @extschema@.status, @extschema@.batches TO PUBLIC;


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

CREATE FUNCTION @extschema@.begin_call() RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_begin_call';
COMMENT ON FUNCTION @extschema@.begin_call() IS 'Internal: refuse to run inside a transaction block (25001)';

CREATE FUNCTION @extschema@.clear_writes() RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_clear_writes';
COMMENT ON FUNCTION @extschema@.clear_writes() IS 'Internal: forget what writes() lists';

CREATE FUNCTION @extschema@.writes(OUT checkpoint_id bigint, OUT batch bigint, OUT pending boolean, OUT complete boolean) RETURNS SETOF record
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_writes';
COMMENT ON FUNCTION @extschema@.writes() IS
  'Internal: the checkpoints that this session has written since clear_writes(); batch null: it did not move';

CREATE FUNCTION @extschema@.record_failure(foreign_table regclass, consumer text, partition jsonb, error text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_record_failure';
COMMENT ON FUNCTION @extschema@.record_failure(regclass, text, jsonb, text) IS
  'Internal: count a failed batch; needs UPDATE on the foreign table (42501)';

CREATE FUNCTION @extschema@.reject(foreign_table regclass, consumer text, partition jsonb, record text, sqlstate text, error text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_reject';
COMMENT ON FUNCTION @extschema@.reject(regclass, text, jsonb, text, text, text) IS
  'Internal: a dead letter that the target refused; needs UPDATE on the foreign table (42501)';

CREATE FUNCTION @extschema@.completed_at(foreign_table regclass, consumer text, key text) RETURNS text
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_completed_at';
COMMENT ON FUNCTION @extschema@.completed_at(regclass, text, text) IS
  'Internal: when the call with this idempotence key was completed, or null; needs UPDATE on the foreign table (42501)';

CREATE FUNCTION @extschema@.complete(foreign_table regclass, consumer text, key text) RETURNS void
LANGUAGE C AS 'MODULE_PATHNAME', 'checkpoint_fdw_complete';
COMMENT ON FUNCTION @extschema@.complete(regclass, text, text) IS
  'Internal: note an idempotence key; needs UPDATE on the foreign table (42501)';

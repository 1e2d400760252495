-- Rows and position commit or roll back as one; and the catalog behind it: streams, history, rights, drops and dumps.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a load that stops early may have asked for one page more
CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int, name text);

-- What the target holds, and what each consumer has; then all is forgotten, if it is the end of a part.
CREATE VIEW got AS SELECT 'target: ' || api.runs((SELECT array_agg(id ORDER BY id) FROM target));
CREATE VIEW streams AS SELECT foreign_table, consumer, position - 'loop' AS position, keys, pending, last_records FROM checkpoint_fdw.status ORDER BY foreign_table::text, consumer;
\set start_again 'TRUNCATE target; SELECT checkpoint_fdw.reset(\'items\');'


---- two statements in one transaction: the second goes on where the first ended
BEGIN;
SELECT api.load('items', 'LIMIT 7');
SELECT api.load('items');
SELECT * FROM streams;
COMMIT;
SELECT * FROM got;
SELECT records FROM checkpoint_fdw.batches ORDER BY batch;
:start_again

---- rolled back: as if nothing had been loaded
BEGIN;
SELECT api.load('items', 'LIMIT 7');
ROLLBACK;
SELECT * FROM streams;
SELECT api.load('items', 'LIMIT 3');
BEGIN;
SELECT api.load('items', 'LIMIT 7');
ROLLBACK;
SELECT * FROM streams;
SELECT api.load('items');
SELECT * FROM got;
:start_again

---- a savepoint takes the position back too
BEGIN;
SELECT api.load('items', 'LIMIT 5');
SAVEPOINT s;
SELECT api.load('items', 'LIMIT 12');
ROLLBACK TO s;
SELECT * FROM streams;
SELECT api.load('items', 'LIMIT 3');
SAVEPOINT t;
SELECT api.load('items', 'LIMIT 4');
RELEASE t;
COMMIT;
SELECT * FROM got;
SELECT * FROM streams;
:start_again
-- the first load of all, within a savepoint
BEGIN;
SAVEPOINT s;
SELECT api.load('items', 'LIMIT 5');
ROLLBACK TO s;
SELECT * FROM streams;
SELECT api.load('items', 'LIMIT 6');
COMMIT;
SELECT * FROM got;
:start_again
-- exception blocks of PL/pgSQL
DO $$
BEGIN
	FOR i IN 1..6 LOOP
		BEGIN
			INSERT INTO target SELECT * FROM items LIMIT 4;
			IF i % 2 = 0 THEN
				RAISE EXCEPTION 'no';
			END IF;
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT * FROM got;
SELECT * FROM api.log();
SELECT * FROM streams;
:start_again
-- an error of the load itself
CALL api.overlay('/items', '{"2": {"status": 400}}');
BEGIN;
SELECT api.load('items', 'LIMIT 10');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT api.load('items');
COMMIT;
SELECT * FROM got;
:start_again

---- the target refuses a row: at once, or at COMMIT
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent SELECT generate_series(1, 20);
ALTER TABLE target ADD CONSTRAINT known FOREIGN KEY (id) REFERENCES parent DEFERRABLE;
SELECT api.load('items', 'LIMIT 5');
INSERT INTO target SELECT * FROM items;
SELECT * FROM streams;
SELECT * FROM api.log();
ALTER TABLE target ALTER CONSTRAINT known DEFERRABLE INITIALLY DEFERRED;
BEGIN;
SELECT api.load('items');
COMMIT;
SELECT * FROM streams;
SELECT * FROM got;
INSERT INTO parent SELECT generate_series(21, 25);
SELECT api.load('items');
SELECT * FROM got;
ALTER TABLE target DROP CONSTRAINT known;
:start_again

---- one transaction after the other, in a procedure
CREATE PROCEDURE in_steps() LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		INSERT INTO target SELECT * FROM items LIMIT 8;
		EXIT WHEN NOT FOUND;
		COMMIT;
	END LOOP;
END $$;
CALL in_steps();
SELECT * FROM got;
SELECT records, xid <> lag(xid) OVER (ORDER BY batch) AS other_transaction FROM checkpoint_fdw.batches ORDER BY batch;
SELECT * FROM api.log();
:start_again

---- other isolation levels; READ ONLY looks on
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM target;
SELECT api.load('items', 'LIMIT 7');
SELECT api.load('items', 'LIMIT 7');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT api.load('items', 'LIMIT 7');
SAVEPOINT s;
SELECT api.load('items', 'LIMIT 2');
ROLLBACK TO s;
SELECT api.load('items', 'LIMIT 1');
COMMIT;
BEGIN READ ONLY;
SELECT api.read('items');
SELECT api.read('items');
COMMIT;
SELECT api.load('items');
SELECT * FROM got;
:start_again

---- prepared transactions
BEGIN;
SELECT api.load('items', 'LIMIT 7');
PREPARE TRANSACTION 'checkpoint_fdw transactions';
SELECT * FROM streams;
SET checkpoint_fdw.on_busy = error;
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SET checkpoint_fdw.on_busy = skip;
SELECT api.load('items');
RESET checkpoint_fdw.on_busy;
-- to look is always allowed
SELECT api.read('items');
ROLLBACK PREPARED 'checkpoint_fdw transactions';
SELECT api.load('items', 'LIMIT 3');
BEGIN;
SELECT api.load('items', 'LIMIT 7');
PREPARE TRANSACTION 'checkpoint_fdw transactions';
SET checkpoint_fdw.on_busy = error;
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SET checkpoint_fdw.on_busy = skip;
SELECT api.load('items');
RESET checkpoint_fdw.on_busy;
COMMIT PREPARED 'checkpoint_fdw transactions';
SELECT api.load('items');
SELECT * FROM got;
:start_again


---- each consumer has a stream of its own
CREATE TABLE other (id int, name text);
SELECT api.load('items', 'LIMIT 7');
SET checkpoint_fdw.consumer = 'other one';
SELECT * FROM api.read('items') LIMIT 1;
INSERT INTO other SELECT * FROM items LIMIT 3;
INSERT INTO other SELECT * FROM items LIMIT 3;
SELECT api.runs(array_agg(id)) FROM other;
RESET checkpoint_fdw.consumer;
SELECT * FROM streams;
SELECT * FROM api.read('items') LIMIT 1;
SELECT api.load('items', 'LIMIT 1');

---- reset: one consumer, one partition, all; transactional
BEGIN;
SELECT checkpoint_fdw.reset('items');
SELECT * FROM streams;
SELECT * FROM api.read('items') LIMIT 1;
ROLLBACK;
SELECT checkpoint_fdw.reset('items', 'nobody');
SELECT checkpoint_fdw.reset('items', 'other one', '{"repo": "x"}');
SELECT checkpoint_fdw.reset('items', 'other one', '{}');
SELECT * FROM streams;
SELECT count(DISTINCT checkpoint_id) FROM checkpoint_fdw.delivered_key;
SELECT count(DISTINCT checkpoint_id) FROM checkpoint_fdw.batch;
-- and load again in the same transaction
BEGIN;
SELECT checkpoint_fdw.reset('items', partition => '{}');
SELECT api.load('items', 'LIMIT 2');
COMMIT;
SELECT * FROM streams;
SELECT checkpoint_fdw.reset(NULL);
SELECT checkpoint_fdw.reset('target');
SELECT checkpoint_fdw.reset('no_such_table');
:start_again

---- start = beginning: a load reads everything again and takes the place of the checkpoint
SELECT api.load('items');
SET checkpoint_fdw.start = beginning;
SELECT api.read('items');
SELECT api.load('items', 'LIMIT 4');
SELECT * FROM streams;
RESET checkpoint_fdw.start;
SELECT api.load('items', 'LIMIT 7');
BEGIN;
SET LOCAL checkpoint_fdw.start = beginning;
TRUNCATE target;
SELECT api.load('items');
ROLLBACK;
SELECT * FROM streams;
BEGIN;
SET LOCAL checkpoint_fdw.start = beginning;
TRUNCATE target;
SELECT api.load('items');
COMMIT;
SELECT * FROM got;
SELECT api.load('items');
:start_again

---- settings
SET checkpoint_fdw.on_busy = perhaps;
SET checkpoint_fdw.consumer = '';
SET checkpoint_fdw.batch_history = 0;
SET checkpoint_fdw.unknown = 1;
-- history: so many batches of each stream
SET checkpoint_fdw.batch_history = 3;
DO $$ BEGIN FOR i IN 1..5 LOOP INSERT INTO target SELECT * FROM items LIMIT i; END LOOP; END $$;
SET checkpoint_fdw.consumer = 'other one';
INSERT INTO other SELECT * FROM items LIMIT 9;
RESET checkpoint_fdw.consumer;
SELECT consumer, records FROM checkpoint_fdw.batches ORDER BY batch;
SET checkpoint_fdw.batch_history = 1;
INSERT INTO target SELECT * FROM items LIMIT 1;
SELECT consumer, records FROM checkpoint_fdw.batches ORDER BY batch;
RESET checkpoint_fdw.batch_history;
SELECT * FROM streams;


---- others: rows with the SELECT privilege, the position for the owner, functions for the owner, tables for nobody
CREATE ROLE checkpoint_fdw_owner;
CREATE ROLE checkpoint_fdw_member IN ROLE checkpoint_fdw_owner;
CREATE ROLE checkpoint_fdw_reader;
GRANT CREATE ON SCHEMA public TO checkpoint_fdw_owner;
GRANT ALL ON target, other TO checkpoint_fdw_owner;
ALTER FOREIGN TABLE items OWNER TO checkpoint_fdw_owner;
SET ROLE checkpoint_fdw_reader;
SELECT * FROM checkpoint_fdw.status;
SELECT * FROM checkpoint_fdw.batches;
RESET ROLE;
GRANT SELECT ON items TO checkpoint_fdw_reader;
SET ROLE checkpoint_fdw_reader;
SELECT foreign_table, consumer, position, last_records, keys FROM checkpoint_fdw.status ORDER BY consumer;
SELECT foreign_table, consumer, records FROM checkpoint_fdw.batches ORDER BY batch;
SELECT checkpoint_fdw.reset('items');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM checkpoint_fdw.checkpoint;
SELECT * FROM checkpoint_fdw.batch;
SELECT * FROM checkpoint_fdw.delivered_key;
SELECT checkpoint_fdw.forget_streams(ARRAY['items'::regclass::oid]);
CREATE FUNCTION checkpoint_fdw.mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
RESET ROLE;
-- the owner, who is no superuser, loads, looks and resets
SET ROLE checkpoint_fdw_owner;
INSERT INTO target SELECT * FROM items LIMIT 2;
SELECT consumer, position - 'loop', keys FROM checkpoint_fdw.status ORDER BY consumer;
SELECT checkpoint_fdw.reset('items', 'other one');
UPDATE checkpoint_fdw.checkpoint SET position = NULL;
SET ROLE checkpoint_fdw_member;
SELECT consumer, position - 'loop' FROM checkpoint_fdw.status;
-- a search_path and settings of the user do no harm
CREATE TABLE pg_temp.checkpoint (id int);
SET search_path = pg_temp, public, api;
INSERT INTO target SELECT * FROM items;
RESET search_path;
DROP TABLE pg_temp.checkpoint;
-- and the drop of a table takes its rows in the catalog with it
CREATE FOREIGN TABLE mine (id int) SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
CREATE TEMP TABLE mine_too AS SELECT 1 WHERE false;
INSERT INTO target (id) SELECT * FROM mine;
SELECT foreign_table FROM checkpoint_fdw.status ORDER BY foreign_table::text;
DROP FOREIGN TABLE mine;
SELECT foreign_table FROM checkpoint_fdw.status;
RESET ROLE;


---- drops
CREATE FUNCTION rows() RETURNS text BEGIN ATOMIC
	SELECT format('%s; %s keys and %s batches of nobody', (SELECT string_agg(c.foreign_table::text, ', ' ORDER BY c.id) FROM checkpoint_fdw.checkpoint c),
	              (SELECT count(*) FROM checkpoint_fdw.delivered_key k WHERE k.checkpoint_id NOT IN (SELECT c.id FROM checkpoint_fdw.checkpoint c)),
	              (SELECT count(*) FROM checkpoint_fdw.batch b WHERE b.checkpoint_id NOT IN (SELECT c.id FROM checkpoint_fdw.checkpoint c)));
END;
SET client_min_messages = warning;
SELECT rows();
CREATE SCHEMA s;
CREATE SERVER api_2 FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'http://127.0.0.1:1');
SELECT 'ALTER SERVER api_2 OPTIONS (SET base_url ''' || url || ''')' FROM api.server \gexec
CREATE FOREIGN TABLE s.in_schema (id int, name text) SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
CREATE FOREIGN TABLE of_server (id int, name text) SERVER api_2 OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
CREATE TABLE parted (id int, name text) PARTITION BY LIST (id);
CREATE FOREIGN TABLE part PARTITION OF parted DEFAULT SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
INSERT INTO target SELECT * FROM s.in_schema;
INSERT INTO target SELECT * FROM of_server;
INSERT INTO target SELECT * FROM part;
SELECT rows();
BEGIN;
DROP FOREIGN TABLE s.in_schema;
SELECT rows();
ROLLBACK;
SELECT rows();
DROP SCHEMA s CASCADE;
SELECT rows();
DROP SERVER api_2 CASCADE;
SELECT rows();
DROP TABLE parted;
SELECT rows();
-- renamed or moved it is still the same table
ALTER FOREIGN TABLE items RENAME TO articles;
CREATE SCHEMA s;
ALTER FOREIGN TABLE articles SET SCHEMA s;
SELECT foreign_table FROM checkpoint_fdw.status;
ALTER FOREIGN TABLE s.articles SET SCHEMA public;
ALTER FOREIGN TABLE articles RENAME TO items;


---- dump and restore: rows and positions together
SELECT format('SELECT count(*) >= 0 FROM %s %s', c.oid::regclass, e.condition)
  FROM pg_extension x, unnest(x.extconfig, x.extcondition) e(oid, condition) JOIN pg_class c USING (oid)
 WHERE x.extname = 'checkpoint_fdw' AND c.relkind = 'r' ORDER BY 1 \gexec
:start_again
INSERT INTO target SELECT * FROM items LIMIT 7;
\set copy :DBNAME _copy
\setenv PGDATABASE :DBNAME
\setenv COPY :copy
\! createdb "$COPY" && pg_dump | psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -d "$COPY"
SELECT count(*) > 0 FROM api.log();
\! psql -X -q -A -t -d "$COPY" -c 'SELECT * FROM streams' -c 'INSERT INTO target SELECT * FROM items' -c 'SELECT * FROM got' -c 'SELECT records FROM checkpoint_fdw.batches ORDER BY batch'
SELECT * FROM api.log();
\! dropdb "$COPY"
-- rows of a table that is gone stay behind
ALTER EVENT TRIGGER checkpoint_fdw_drop DISABLE;
CREATE FOREIGN TABLE gone (id int, name text) SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
INSERT INTO target SELECT * FROM gone;
DROP FOREIGN TABLE gone;
ALTER EVENT TRIGGER checkpoint_fdw_drop ENABLE;
SELECT count(*) FROM checkpoint_fdw.checkpoint;
\! createdb "$COPY" && pg_dump | psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -d "$COPY"
\! psql -X -q -A -t -d "$COPY" -c 'SELECT rows()'
\! dropdb "$COPY"


---- the extension goes, and comes again
\set VERBOSITY terse
DROP EXTENSION checkpoint_fdw;
DROP EXTENSION checkpoint_fdw CASCADE;
SELECT count(*) FROM pg_event_trigger WHERE evtname LIKE 'checkpoint%';
SELECT count(*) FROM pg_foreign_table;
CREATE EXTENSION checkpoint_fdw;
SELECT count(*) FROM checkpoint_fdw.status;
DROP OWNED BY checkpoint_fdw_owner, checkpoint_fdw_member, checkpoint_fdw_reader;
DROP ROLE checkpoint_fdw_owner, checkpoint_fdw_member, checkpoint_fdw_reader;

-- Settings made before the library is loaded: a misspelt one must not let records be taken.
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true')) SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'cursor');
CREATE TABLE target (id int);
CALL api.script('/items', '[{"json": {"data": [{"id": 1}]}}]', repeat => true);

\c
SET checkpoint_fdw.advance = nver;
INSERT INTO target SELECT * FROM items;
SET checkpoint_fdw.advance = never;
INSERT INTO target SELECT * FROM items;
SET checkpoint_fdw.advance = nver;
RESET checkpoint_fdw.advance;

\c
SET checkpoint_fdw.advnce = never;
INSERT INTO target SELECT * FROM items;
RESET checkpoint_fdw.advnce;
SET checkpoint_fdw.consumer = 'other';
INSERT INTO target SELECT * FROM items;

\c
SET checkpoint_fdw.start = sometime;
SELECT * FROM items;

SELECT consumer, last_records FROM checkpoint_fdw.status;
SELECT * FROM target;
SELECT * FROM api.log();

// Package pool has the statements that change or check the pools of an archive as a
// whole: IMPORT, COPY POOL, MERGE POOL, SEAL POOL, VERIFY, REPAIR POOL, REINDEX, RECOVER,
// DROP POOL, DELETE and ALLOW. A pool has the captures of one month. The archive does the work;
// this package reads the clauses and makes the result.
package pool

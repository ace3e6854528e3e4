// Package lake writes the rows of a query as a data set: a folder of Parquet files that
// other engines read, such as DuckDB, Spark and Trino. A second run writes only the files
// that have changed.
//
// # Words
//
//	data set   all files that one EXPORT statement writes
//	place      where a data set lies: a folder, or a prefix of a bucket
//	partition  the files of the rows that have the same values in the columns of PARTITION BY
//	part       one file of a partition; a partition has several if its rows are many
//	manifest   the file that names all parts, with what is in them and where they come from
//
// # Names
//
// The folders of a partition are named by its columns and values, as Hive names them:
//
//	lake/_manifest
//	lake/month=2008-06/host_prefix=com,ex/part-0.parquet
//	lake/month=2008-06/host_prefix=com,ex/part-1.parquet
//
// # Order of writing
//
// A run first replaces the manifest by one that says that the data set is not complete.
// Then it writes the parts that have changed, and replaces the manifest now and again. At
// the end it removes parts that the data set no longer has, and writes the manifest that says
// that the data set is complete. A file appears whole or not at all, so after a kill each
// part is either the old or the new one, and the next run continues.
package lake

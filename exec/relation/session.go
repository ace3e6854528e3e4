package relation

import (
	"infomall/store/record"
	"infomall/store/record/task"
)

// Entry is one row of the relation history: one entry that the user typed at
// the prompt.
type Entry struct {
	Time     record.Time
	Text     string
	Duration int64  // in milliseconds
	Rows     int64  // rows of the answer
	Status   string // done, failed or interrupted; "" if it has not ended
}

// Schedule is one row of the relation schedules: a statement that runs again
// and again, by a rule such as every day.
type Schedule struct {
	Name, Rule, Statement string
	Created, Next         record.Time
	Due                   bool     // the time Next has passed
	Last                  task.Job // the last run of the statement; its ID is 0 if it has not run
}

// Watch is one row of the relation watches: a query that runs again and again,
// and whose new rows are kept.
type Watch struct {
	Name, Every, Query, Key, Then string
	Created, Next                 record.Time
	Due                           bool     // the time Next has passed
	Last                          task.Job // the last run; its ID is 0 if the watch has not run
	Batches                       int64    // the number of the last batch of rows; 0 if there is none
	Done                          int64    // up to this batch, Then is done
}

// Rule is one row of the relation rules: an access rule.
type Rule struct {
	Name, Scope, Action, Reason, Age string
	Window                           Window
	Created                          record.Time
}

package ast

// CopyPool is the statement COPY POOL ('p' | ALL) TO 'dir'. It copies pools
// into another folder.
type CopyPool struct {
	Span
	Pool Expr // *String or *Param; nil for ALL
	To   Expr // *String or *Param
}

func (*CopyPool) statement() {}

func (s *CopyPool) String() string { return text(s) }

func (s *CopyPool) print(p *printer) {
	p.WriteString("COPY POOL ")
	p.poolOrAll(s.Pool)
	p.clause(" TO ", s.To)
}

func (s *CopyPool) children(l nodes) nodes { return l.exprs(s.Pool, s.To) }

// MovePool is the statement MOVE POOL ('p' | ALL) (TO 'place' [AFTER 12mo] | BACK). It
// moves files of pools to another place, or back from there.
type MovePool struct {
	Span
	Pool  Expr // *String or *Param; nil for ALL
	To    Expr // *String or *Param; nil for BACK
	After Expr // *Duration or *Param; nil means that the age of pools does not count
}

func (*MovePool) statement() {}

func (s *MovePool) String() string { return text(s) }

func (s *MovePool) print(p *printer) {
	p.WriteString("MOVE POOL ")
	p.poolOrAll(s.Pool)
	p.flag(" BACK", s.To == nil)
	p.clause(" TO ", s.To)
	p.clause(" AFTER ", s.After)
}

func (s *MovePool) children(l nodes) nodes { return l.exprs(s.Pool, s.To, s.After) }

// poolOrAll writes the name of a pool, or ALL if pool is nil.
func (p *printer) poolOrAll(pool Expr) {
	p.flag("ALL", pool == nil)
	p.clause("", pool)
}

// Verify is the statement VERIFY [POOL p] [SAMPLE 1/n]. It checks the files of
// the archive; with SAMPLE it checks a part of them.
type Verify struct {
	Span
	Pool   Expr // *String or *Param; nil means all pools
	Sample Expr // the n of SAMPLE 1/n, a *Number or *Param; nil means everything
}

func (*Verify) statement() {}

func (s *Verify) String() string { return text(s) }

func (s *Verify) print(p *printer) {
	p.WriteString("VERIFY")
	p.clause(" POOL ", s.Pool)
	p.clause(" SAMPLE 1/", s.Sample)
}

func (s *Verify) children(l nodes) nodes { return l.exprs(s.Pool, s.Sample) }

// MergePool is the statement (MERGE | SEAL) POOL ('p' | ALL). It merges the
// segments of a pool. A sealed pool does not change any more.
type MergePool struct {
	Span
	Seal bool // the statement is SEAL, not MERGE
	Pool Expr // *String or *Param; nil for ALL
}

func (*MergePool) statement() {}

func (s *MergePool) String() string { return text(s) }

func (s *MergePool) print(p *printer) {
	if s.Seal {
		p.WriteString("SEAL POOL ")
	} else {
		p.WriteString("MERGE POOL ")
	}
	p.poolOrAll(s.Pool)
}

func (s *MergePool) children(l nodes) nodes { return l.exprs(s.Pool) }

// RepairPool is the statement REPAIR POOL 'p' FROM 'dir'. It repairs damaged
// files of a pool from a copy of the archive in dir.
type RepairPool struct {
	Span
	Pool Expr // *String or *Param
	From Expr // *String or *Param
}

func (*RepairPool) statement() {}

func (s *RepairPool) String() string { return text(s) }

func (s *RepairPool) print(p *printer) {
	p.clause("REPAIR POOL ", s.Pool)
	p.clause(" FROM ", s.From)
}

func (s *RepairPool) children(l nodes) nodes { return l.exprs(s.Pool, s.From) }

// Reindex is the statement REINDEX [POOL p] [DERIVED | DOCUMENTS | SEARCH]. It makes the indexes of
// pools again.
type Reindex struct {
	Span
	Pool      Expr // *String or *Param; nil means all pools
	Derived   bool // compute again the data that is derived from stored bodies
	Search    bool // make the indexes of words, and no others
	Documents bool // read documents, such as PDFs, and make no index
}

func (*Reindex) statement() {}

func (s *Reindex) String() string { return text(s) }

func (s *Reindex) print(p *printer) {
	p.WriteString("REINDEX")
	p.clause(" POOL ", s.Pool)
	p.flag(" DERIVED", s.Derived)
	p.flag(" DOCUMENTS", s.Documents)
	p.flag(" SEARCH", s.Search)
}

func (s *Reindex) children(l nodes) nodes { return l.exprs(s.Pool) }

// DropPool is the statement DROP POOL 'p'. It removes a pool from the archive.
type DropPool struct {
	Span
	Pool Expr // *String or *Param
}

func (*DropPool) statement() {}

func (s *DropPool) String() string { return text(s) }

func (s *DropPool) print(p *printer) {
	p.clause("DROP POOL ", s.Pool)
}

func (s *DropPool) children(l nodes) nodes { return l.exprs(s.Pool) }

// Recover is the statement RECOVER 'file' [TO 'file']. It finds the records of a damaged
// file that are still good, and saves them to the file after TO.
type Recover struct {
	Span
	File Expr // *String or *Param
	To   Expr // *String or *Param; nil means that no file is written
}

func (*Recover) statement() {}

func (s *Recover) String() string { return text(s) }

func (s *Recover) print(p *printer) {
	p.clause("RECOVER ", s.File)
	p.clause(" TO ", s.To)
}

func (s *Recover) children(l nodes) nodes { return l.exprs(s.File, s.To) }

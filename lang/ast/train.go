package ast

// Train is the statement TRAIN name ON (query), followed by the clauses that the fields
// name. It trains a classifier of texts on the rows of the query, and stores the classifier
// under the name.
type Train struct {
	Span
	Name     Name
	Query    *Query
	Using    string // "bayes", "svm", or "" if absent
	Features Expr   // *Number or *Param; nil if absent
	By       string // "chi", "ig", or "" if absent
	Folds    Expr   // *Number or *Param; nil if absent
}

func (*Train) statement() {}

func (s *Train) String() string { return text(s) }

func (s *Train) print(p *printer) {
	p.WriteString("TRAIN ")
	p.name(&s.Name)
	p.WriteString(" ON (")
	s.Query.print(p)
	p.WriteByte(')')
	p.wordAfter(" USING ", s.Using)
	p.clause(" FEATURES ", s.Features)
	p.wordAfter(" BY ", s.By)
	p.clause(" FOLDS ", s.Folds)
}

func (s *Train) children(l nodes) nodes { return append(l, s.Query).exprs(s.Features, s.Folds) }

// DropClassifier is the statement DROP CLASSIFIER name. It removes a classifier that TRAIN
// has made.
type DropClassifier struct {
	Span
	Name Name
}

func (*DropClassifier) statement() {}

func (s *DropClassifier) String() string { return text(s) }

func (s *DropClassifier) print(p *printer) {
	p.WriteString("DROP CLASSIFIER ")
	p.name(&s.Name)
}

func (*DropClassifier) children(l nodes) nodes { return l }

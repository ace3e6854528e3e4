package ast

// Cluster is the statement CLUSTER [name] ON (query) BY (words | simhash), followed by the
// clauses that the fields name. It divides the texts of a query into clusters, and keeps the
// clusters under the name.
type Cluster struct {
	Span
	Name   *Name // name of the clustering; nil if absent
	Query  *Query
	By     string // "words" or "simhash"
	Eps    Expr   // *Number or *Param; nil if absent
	MinPts Expr   // *Number or *Param; nil if absent
	K      Expr   // *Number or *Param; nil if absent
	Seed   Expr   // *Number or *Param; nil if absent
}

func (*Cluster) statement() {}

func (s *Cluster) String() string { return text(s) }

func (s *Cluster) print(p *printer) {
	p.WriteString("CLUSTER")
	p.nameAfter(" ", s.Name)
	p.WriteString(" ON ")
	p.bracketed(s.Query)
	p.wordAfter(" BY ", s.By)
	p.clause(" EPS ", s.Eps)
	p.clause(" MINPTS ", s.MinPts)
	p.clause(" K ", s.K)
	p.clause(" SEED ", s.Seed)
}

func (s *Cluster) children(l nodes) nodes {
	return append(l, s.Query).exprs(s.Eps, s.MinPts, s.K, s.Seed)
}

// DropClusters is the statement DROP CLUSTERS name. It removes the clusters that CLUSTER
// has kept under a name.
type DropClusters struct {
	Span
	Name Name
}

func (*DropClusters) statement() {}

func (s *DropClusters) String() string { return text(s) }

func (s *DropClusters) print(p *printer) {
	p.WriteString("DROP CLUSTERS ")
	p.name(&s.Name)
}

func (*DropClusters) children(l nodes) nodes { return l }

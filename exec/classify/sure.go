package classify

import "math"

// sure computes from the margin of a text how probable it is that its class is right: 1 / (1 +
// exp(Slope × margin + Offset)).
type sure struct{ Slope, Offset float64 }

// of returns the probability that the class of a text with this margin is right.
func (s sure) of(margin float64) float64 { return 1 / (1 + math.Exp(s.Slope*margin+s.Offset)) }

// held is the result for a text that was held out: its margin, and whether its class was found.
type held struct {
	margin float64
	right  bool
}

// fitSure returns the sure that fits the texts in list best. They were held out when the classifier
// learned. It uses Newton's method with backtracking (H. Lin, C. Lin and R. Weng, "A note on
// Platt's probabilistic outputs for support vector machines", 2007). A greater margin never gives a
// lower probability: if the texts say so, the margin does not count.
func fitSure(list []held) sure {
	right := 0
	for _, h := range list {
		if h.right {
			right++
		}
	}
	wrong := len(list) - right
	// The targets are not 1 and 0, because no text is fully sure: each kind of texts counts as if it
	// had one more right text and one more wrong text.
	targetRight, targetWrong := (float64(right)+1)/(float64(right)+2), 1/(float64(wrong)+2)
	target := func(h held) float64 {
		if h.right {
			return targetRight
		}
		return targetWrong
	}
	loss := func(s sure) (sum float64) {
		for _, h := range list {
			z, t := s.Slope*h.margin+s.Offset, target(h)
			if z >= 0 {
				sum += t*z + math.Log1p(math.Exp(-z))
			} else {
				sum += (t-1)*z + math.Log1p(math.Exp(z))
			}
		}
		return sum
	}
	constant := sure{0, math.Log((float64(wrong) + 1) / (float64(right) + 1))}
	s := constant
	now := loss(s)
	for range 100 {
		const ridge = 1e-12
		h11, h22, h21, g1, g2 := ridge, ridge, 0.0, 0.0, 0.0
		for _, h := range list {
			p := s.of(h.margin)
			d2, d1 := p*(1-p), target(h)-p
			h11 += h.margin * h.margin * d2
			h22 += d2
			h21 += h.margin * d2
			g1 += h.margin * d1
			g2 += d1
		}
		if math.Abs(g1) < 1e-5 && math.Abs(g2) < 1e-5 {
			break
		}
		det := h11*h22 - h21*h21
		a, b := -(h22*g1-h21*g2)/det, -(h11*g2-h21*g1)/det
		slope := g1*a + g2*b
		step := 1.0
		for ; step >= 1e-10; step /= 2 {
			next := sure{s.Slope + step*a, s.Offset + step*b}
			if then := loss(next); then < now+1e-4*step*slope {
				s, now = next, then
				break
			}
		}
		if step < 1e-10 {
			break
		}
	}
	if !(s.Slope <= 0) || math.IsNaN(s.Offset) {
		return constant
	}
	return s
}

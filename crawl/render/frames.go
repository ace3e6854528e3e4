package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// foreignMax bounds the frames of other origins whose documents are read from one page.
const foreignMax = 100

// placeScript is a script that returns the place of a frame in the page, such as "0/2": the
// numbers in window.frames that lead from the page to the frame. It returns "" if the frame has
// no place, as in a shadow tree, or if the document around the frame can read the frame.
const placeScript = `(() => {
	if (window.frameElement) return "";
	const place = [];
	for (let w = window; w !== top; w = w.parent) {
		let i = 0;
		while (i < w.parent.length && w.parent[i] !== w) i++;
		if (i === w.parent.length) return "";
		place.unshift(i);
	}
	return place.join("/");
})()`

// foreign returns the documents of frames as HTML, by the place of the frame in the page. It
// takes the frames whose origin differs from that of the document around them. A frame within
// a frame is in an attribute srcdoc of the outer document. A frame that cannot be read, such
// as one that is just being loaded, is left out, and so are frames whose documents would
// exceed bytesMax together.
func (t *tab) foreign(ctx context.Context, bytesMax int64) (map[string]string, error) {
	tree, err := cdp.Call(ctx, t.target, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	var read func(f *page.FrameTree)
	left := foreignMax
	read = func(f *page.FrameTree) {
		for _, child := range f.ChildFrames {
			read(child)
		}
		if f == tree.FrameTree || left == 0 || ctx.Err() != nil || f.Frame.UnreachableURL != "" {
			return
		}
		var place string
		if t.scriptIn(ctx, f.Frame.ID, placeScript, &place) != nil || place == "" {
			return
		}
		left--
		inner := make(map[string]string)
		for at, html := range found {
			if strings.HasPrefix(at, place+"/") {
				inner[at] = html
				bytesMax += int64(len(html))
				delete(found, at)
			}
		}
		d, err := t.document(ctx, f.Frame.ID, bytesMax, inner)
		if err == nil && !d.Cut && d.DOM != "" && int64(len(d.DOM)) <= bytesMax {
			bytesMax -= int64(len(d.DOM))
			found[place] = d.DOM
		}
	}
	read(tree.FrameTree)
	return found, ctx.Err()
}

// document runs collectScript in a frame and returns the result. inner has the documents of the
// frames within it, by their place.
func (t *tab) document(ctx context.Context, frame cdp.FrameID, bytesMax int64, inner map[string]string) (d document, err error) {
	frames, err := json.Marshal(inner)
	if err != nil {
		return d, err
	}
	err = t.scriptIn(ctx, frame, fmt.Sprintf("(%s)(%d, %d, %s)", collectScript, bytesMax, linksMax, frames), &d)
	return d, err
}

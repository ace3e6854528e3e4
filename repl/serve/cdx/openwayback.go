package cdx

import (
	"context"
	"encoding/xml"
	"io"
	"net/url"
	"strings"

	"infomall/exec/relation"
	"infomall/repl/serve/lookup"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// waybackMax is the maximum number of captures in an answer for OpenWayback.
const waybackMax = 10_000

// OpenWayback writes the answer to a request of OpenWayback, such as
// type:urlquery url:http%3A%2F%2Fa.cn%2F, in XML. It has waybackMax captures at most, because they
// are held in memory.
func OpenWayback(ctx context.Context, w io.Writer, snap relation.Snapshot, text string) error {
	asked := map[string]string{}
	for _, part := range strings.Fields(text) {
		name, value, ok := strings.Cut(part, ":")
		if !ok {
			return badf("q=%s: write type:urlquery url:…", text)
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		asked[name] = value
	}
	v := url.Values{"url": {asked["url"]}, "matchType": {"exact"}, "fl": {"urlkey,timestamp,original,mimetype,statuscode,digest,redirect,offset,filename"}}
	switch asked["type"] {
	case "urlquery", "":
	case "prefixquery":
		v.Set("matchType", "prefix")
	default:
		return badf("q=%s: type is urlquery or prefixquery", text)
	}
	for name, param := range map[string]string{"limit": "limit", "startdate": "from", "enddate": "to", "offset": "offset"} {
		if asked[name] != "" {
			v.Set(param, asked[name])
		}
	}
	q, err := Parse(v)
	if err != nil {
		return err
	}
	if q.limit <= 0 || q.limit > waybackMax {
		q.limit = waybackMax
	}
	x := &waybackXML{}
	x.Request.Type, x.Request.URL = orElse(asked["type"], "urlquery"), urlkey.CDX(q.url)
	x.Request.Start, x.Request.End = lookup.Stamp(max(q.from, record.MinTime)), lookup.Stamp(min(q.to-1, record.MaxTime))
	x.Request.Requested, x.Request.First, x.Request.ResultsType = q.limit, q.offset, "resultstypecapture"
	for row, err := range q.Lines(ctx, snap) {
		if err != nil {
			return err
		}
		v := row.values
		x.Results = append(x.Results, waybackResult{v["offset"], v["mimetype"], v["filename"], v["redirect"], v["urlkey"], v["digest"], v["statuscode"], "-", v["original"], v["timestamp"]})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(x)
}

// waybackXML is an answer for OpenWayback (RemoteResourceIndex).
type waybackXML struct {
	XMLName xml.Name `xml:"wayback"`
	Request struct {
		Start       string `xml:"startdate"`
		End         string `xml:"enddate"`
		Type        string `xml:"type"`
		First       int64  `xml:"firstreturned"`
		URL         string `xml:"url"`
		Requested   int64  `xml:"resultsrequested"`
		ResultsType string `xml:"resultstype"`
	} `xml:"request"`
	Results []waybackResult `xml:"results>result"`
}

// waybackResult is one capture in an answer for OpenWayback.
type waybackResult struct {
	Offset   string `xml:"compressedoffset"`
	Mime     string `xml:"mimetype"`
	File     string `xml:"file"`
	Redirect string `xml:"redirecturl"`
	URLKey   string `xml:"urlkey"`
	Digest   string `xml:"digest"`
	Status   string `xml:"httpresponsecode"`
	Robot    string `xml:"robotflags"`
	URL      string `xml:"url"`
	Date     string `xml:"capturedate"`
}

package openai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// API is one of the two protocols.
type API string

// The protocols.
const (
	Responses API = "responses"
	Chat      API = "chat"
)

// Options are the settings of a [Client].
type Options struct {
	API API // empty: [Responses]

	// APIKey is sent as a bearer token. It may be empty for a server that wants
	// none.
	APIKey string

	// BaseURL is what /responses or /chat/completions is added to; empty:
	// https://api.openai.com/v1.
	BaseURL string

	// Model is for requests that name none.
	Model string

	// Effort is how much to reason: low, medium, high, … Empty: not said, and the
	// model does what is its default. A request's budget for thinking is not sent,
	// there is no field for it; it is added to the bound of the answer, in which
	// reasoning counts.
	Effort string

	// Summary asks Responses for summaries of the reasoning, to be shown: auto,
	// concise, detailed. Empty: none.
	Summary string

	// NoEncryptedReasoning does not ask Responses for encrypted reasoning, which
	// some models refuse. Reasoning does not go back then.
	NoEncryptedReasoning bool

	// ReturnReasoning sends the reasoning of Chat answers back, as some servers
	// demand in a turn with tools.
	ReturnReasoning bool

	// MaxTokens sends the bound of Chat answers as max_tokens in place of
	// max_completion_tokens, which older servers do not know.
	MaxTokens bool

	Organization, Project string // empty: not sent

	// Headers are sent with each request, and win over all others. Their values
	// are treated as secrets.
	Headers http.Header

	// IdleTimeout is how long nothing may come before a call has failed: 0 is 5
	// minutes, negative is forever.
	IdleTimeout time.Duration

	// HTTPClient makes the requests; nil: a client of its own, that follows no
	// redirects.
	HTTPClient *http.Client

	// Now is the clock that waiting times of the API count from; nil: time.Now.
	Now func() time.Time
}

// Client is a model.Model. It may be used by several sessions at once.
type Client struct {
	options Options
	// The SDK's service for Responses makes the calls of Chat, too: that for Chat
	// is in the SDK's root package, which links websockets and all other services
	// and doubles the binary.
	service responses.ResponseService
	http    *http.Client
	secrets []string
}

var _ model.Model = (*Client)(nil)

// New checks the options and makes a client. It connects to nothing.
func New(o Options) (*Client, error) {
	switch o.API {
	case "":
		o.API = Responses
	case Responses, Chat:
	default:
		return nil, fmt.Errorf("openai: API %q is neither %s nor %s", o.API, Responses, Chat)
	}
	base := o.BaseURL
	if base == "" {
		if o.APIKey == "" && len(o.Headers) == 0 {
			return nil, errors.New("openai: no key: set Options.APIKey")
		}
		base = "https://api.openai.com/v1"
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("openai: base URL %q is no address of an HTTP server", base)
	}
	c := &Client{options: o, http: o.HTTPClient, secrets: exchange.Secrets(o.APIKey, u, o.Headers)}
	if c.http == nil {
		c.http = exchange.NewHTTPClient()
	}
	c.service = responses.NewResponseService(c.sdkOptions(base)...)
	return c, nil
}

// sdkOptions are all that the SDK knows: services made without its NewClient
// read nothing from the environment.
func (c *Client) sdkOptions(base string) []option.RequestOption {
	o := c.options
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if o.Organization != "" {
		opts = append(opts, option.WithOrganization(o.Organization))
	}
	if o.Project != "" {
		opts = append(opts, option.WithProject(o.Project))
	}
	for name, values := range o.Headers {
		for i, v := range values {
			if i == 0 {
				opts = append(opts, option.WithHeader(name, v))
			} else {
				opts = append(opts, option.WithHeaderAdd(name, v))
			}
		}
	}
	return opts
}

// Close lets idle connections go. Calls that are under way are not disturbed,
// and the client may be used again.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Stream makes a call, see model.Model.
func (c *Client) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		var header http.Header
		failed := func(data []byte) *model.Error {
			return explain(0, data, header, c.now())
		}
		write, endpoint := c.responsesBody, "responses"
		var answer exchange.Answer = &responsesAnswer{failed: failed}
		if c.options.API == Chat {
			write, endpoint = c.chatBody, "chat/completions"
			answer = &chatAnswer{failed: failed}
		}
		exchange.Exchange{
			Idle:    c.options.IdleTimeout,
			Now:     c.now,
			Secrets: c.secrets,
			Explain: explain,
			Answer:  answer,
			Send: func(ctx context.Context, around exchange.Middleware) (exchange.Source, error) {
				body, err := write(req)
				if err != nil {
					return nil, &model.Error{Kind: model.KindInvalid, Message: err.Error(), Err: err}
				}
				var res *http.Response
				_, err = c.service.New(ctx, responses.ResponseNewParams{},
					option.WithRequestBody("application/json", body),
					option.WithResponseBodyInto(&res),
					option.WithMiddleware(to(endpoint), around))
				if err != nil || res == nil {
					return nil, err
				}
				header = res.Header
				return source{ssestream.NewDecoder(res)}, nil
			},
		}.Run(ctx, yield)
	}
}

// to sends a request to an endpoint beside that of Responses.
func to(endpoint string) exchange.Middleware {
	return func(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		req.URL.Path = path.Join(path.Dir(req.URL.Path), endpoint)
		req.URL.RawPath = ""
		return next(req)
	}
}

func (c *Client) now() time.Time {
	if c.options.Now != nil {
		return c.options.Now()
	}
	return time.Now()
}

// source is the SDK's decoder of events.
type source struct{ ssestream.Decoder }

func (s source) Event() (string, []byte) {
	e := s.Decoder.Event()
	return e.Type, e.Data
}

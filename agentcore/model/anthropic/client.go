package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// Thinking is how a model is asked to think when a request has a budget for it.
type Thinking string

const (
	// ThinkingAdaptive leaves it to the model when and how much to think, which
	// models from 4.6 on want; those from 4.7 on take nothing else. The budget is
	// not sent then.
	ThinkingAdaptive Thinking = "adaptive"
	// ThinkingBudget sends the budget, which models up to 4.6 understand.
	ThinkingBudget Thinking = "budget"
)

// Options are the settings of a [Client].
type Options struct {
	// APIKey is sent as a bearer token, which is what the SDK does since API
	// version 2026-10-21. A gateway that wants it as x-api-key gets it in Headers.
	// It may be empty for a server that wants none.
	APIKey string

	// BaseURL is where /v1/messages is; empty: https://api.anthropic.com.
	BaseURL string

	// Model is for requests that name none.
	Model string

	// Thinking is how a budget is asked for; empty: [ThinkingAdaptive]. Thinking
	// counts in the API's max_tokens, so the budget, at least 1024, is added to
	// the request's MaxTokens: both together must be within what the model can. A
	// request without a budget says nothing about thinking, and the model does
	// what is its default.
	Thinking Thinking

	// Effort is how much work the model puts into an answer, where it knows the
	// setting: low, medium, high, … Empty: not said.
	Effort string

	// CacheTTL is how long cached parts of a prompt live: 5m or 1h. Empty: not
	// said, which is 5m.
	CacheTTL string

	// Betas are features to be switched on, for the header anthropic-beta.
	Betas []string

	// Headers are sent with each request, and win over all others. Their values
	// are treated as secrets.
	Headers http.Header

	// IdleTimeout is how long nothing may come, not even a ping, before a call
	// has failed: 0 is 5 minutes, negative is forever.
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
	sdk     sdk.Client
	http    *http.Client
	secrets []string
}

var _ model.Model = (*Client)(nil)

// New checks the options and makes a client. It connects to nothing.
func New(o Options) (*Client, error) {
	base := o.BaseURL
	if base == "" {
		if o.APIKey == "" && len(o.Headers) == 0 {
			return nil, errors.New("anthropic: no key: set Options.APIKey")
		}
		base = "https://api.anthropic.com"
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("anthropic: base URL %q is no address of an HTTP server", base)
	}
	switch o.Thinking {
	case "", ThinkingAdaptive, ThinkingBudget:
	default:
		return nil, fmt.Errorf("anthropic: thinking %q is neither %s nor %s", o.Thinking, ThinkingAdaptive, ThinkingBudget)
	}
	switch o.CacheTTL {
	case "", "5m", "1h":
	default:
		return nil, fmt.Errorf("anthropic: cache TTL %q is neither 5m nor 1h", o.CacheTTL)
	}
	c := &Client{options: o, http: o.HTTPClient, secrets: exchange.Secrets(o.APIKey, u, o.Headers)}
	if c.http == nil {
		c.http = exchange.NewHTTPClient()
	}
	c.sdk = sdk.NewClient(c.sdkOptions(base)...)
	return c, nil
}

func (c *Client) sdkOptions(base string) []option.RequestOption {
	o := c.options
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), // NewClient looks for it
		option.WithoutOpenTelemetry(),       // which the environment decides otherwise
		option.WithBaseURL(base),
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if len(o.Betas) > 0 {
		opts = append(opts, option.WithHeader("anthropic-beta", strings.Join(o.Betas, ",")))
	}
	for name, values := range o.Headers {
		opts = append(opts, option.WithHeaderDel(name))
		for _, v := range values {
			opts = append(opts, option.WithHeaderAdd(name, v))
		}
	}
	return slices.Clip(opts)
}

// Close lets idle connections go. Calls that are under way are not disturbed,
// and the client may be used again.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Stream makes a call, see model.Model.
func (c *Client) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		var header http.Header
		answer := &answer{header: func(name string) string { return header.Get(name) }, now: c.options.Now}
		exchange.Exchange{
			Idle:    c.options.IdleTimeout,
			Now:     c.options.Now,
			Secrets: c.secrets,
			Explain: explain,
			Answer:  answer,
			Send: func(ctx context.Context, around exchange.Middleware) (exchange.Source, error) {
				body, err := c.body(req)
				if err != nil {
					return nil, &model.Error{Kind: model.KindInvalid, Message: err.Error(), Err: err}
				}
				var res *http.Response
				err = c.sdk.Post(ctx, "v1/messages", body, &res, option.WithMiddleware(around))
				if err != nil || res == nil {
					return nil, err
				}
				header = res.Header
				return source{ssestream.NewDecoder(res)}, nil
			},
		}.Run(ctx, yield)
	}
}

// source is the SDK's decoder of events.
type source struct{ ssestream.Decoder }

func (s source) Event() (string, []byte) {
	e := s.Decoder.Event()
	return e.Type, e.Data
}

package model

// Usage counts tokens of one answer, or of many.
type Usage struct {
	InputTokens              int64 `json:"input_tokens"`
	OutputTokens             int64 `json:"output_tokens"`
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens,omitempty"`
	CacheReadInputTokens     int64 `json:"cache_read_input_tokens,omitempty"`
}

// Add gives the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.InputTokens + v.InputTokens,
		u.OutputTokens + v.OutputTokens,
		u.CacheCreationInputTokens + v.CacheCreationInputTokens,
		u.CacheReadInputTokens + v.CacheReadInputTokens,
	}
}

// Total is the number of tokens of all kinds.
func (u Usage) Total() int64 {
	return u.InputTokens + u.OutputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
}

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input, Output, CacheWrite, CacheRead float64
}

// Cost is the price of a usage in US dollars.
func (p Price) Cost(u Usage) float64 {
	return (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens) +
		p.CacheWrite*float64(u.CacheCreationInputTokens) + p.CacheRead*float64(u.CacheReadInputTokens)) / 1e6
}

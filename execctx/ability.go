package execctx

// Wrapper is a context around another. Abilities of the inner one that the
// wrapper does not have itself are found through it.
type Wrapper interface {
	Unwrap() ExecutionContext
}

// Hider is a context that has the methods of an ability and does not offer it,
// because that was switched off or because what it wraps cannot do it. The
// argument is a nil pointer to the interface, as in (*BackgroundKiller)(nil). A
// hidden ability is not looked for further inside either.
type Hider interface {
	Hides(ability any) bool
}

// As finds an optional ability of a context, such as [BackgroundKiller], in c or
// in what it wraps. It is the only way to ask: a plain type assertion sees
// neither wrappers nor abilities that are switched off.
func As[T any](c ExecutionContext) (T, bool) {
	var none T
	for c != nil {
		if hider, ok := c.(Hider); ok && hider.Hides((*T)(nil)) {
			return none, false
		}
		if found, ok := c.(T); ok {
			return found, true
		}
		wrapper, ok := c.(Wrapper)
		if !ok {
			break
		}
		c = wrapper.Unwrap()
	}
	return none, false
}

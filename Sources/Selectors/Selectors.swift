// Selectors: CSS Selectors Level 4, from text to syntax tree.

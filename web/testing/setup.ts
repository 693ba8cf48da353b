/** Before every component test: the matchers about what people see, and what jsdom has no picture for. */
import '@testing-library/jest-dom/jest-globals';
import { configure } from '@testing-library/react';

// The first test that opens a screen also loads it, on a machine that may be busy: found is found, however
// late.
configure({ asyncUtilTimeout: 30_000 });

window.scrollTo = () => undefined;

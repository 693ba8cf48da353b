/** Before every component test: the matchers about what people see, and what jsdom has no picture for. */
import '@testing-library/jest-dom/jest-globals';
import { configure } from '@testing-library/dom';

// A condition is waited for as long as a busy machine needs; the suite's own limit ends what never comes.
configure({ asyncUtilTimeout: 15_000 });
window.scrollTo = () => undefined;

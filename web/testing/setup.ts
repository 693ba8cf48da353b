/** Before every component test: the matchers about what people see, and what jsdom has no picture for. */
import '@testing-library/jest-dom/jest-globals';

window.scrollTo = () => undefined;

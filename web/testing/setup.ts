/**
 * Before every component test: the matchers about what people see, what jsdom has no picture for, and nothing
 * stored.
 */
import { beforeEach } from '@jest/globals';
import '@testing-library/jest-dom/jest-globals';
import { configure, getConfig } from '@testing-library/react';
import * as React from 'react';
import { rememberComputedStyles } from './computed-styles.js';

const { getElementError } = getConfig();
configure({
  // The first test that opens a screen also loads it, on a machine that may be busy: found is found, however
  // late.
  asyncUtilTimeout: 30_000,
  // Whoever waits prints the document when they have waited in vain, and not each time that they look.
  getElementError: (message, container) =>
    (getConfig() as { _disableExpensiveErrorDiagnostics?: boolean })._disableExpensiveErrorDiagnostics
      ? new Error(message ?? '')
      : getElementError(message, container),
});

rememberComputedStyles(window);

// React notes a stack for each element that it makes, for the words of its warnings. They name the component
// without it.
const internals: unknown = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS'))?.[1];
if (typeof internals === 'object' && internals !== null && 'recentlyCreatedOwnerStacks' in internals)
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
    get: () => Infinity,
    set() {},
  });

window.scrollTo = () => undefined;

// What one test keeps in the browser, that amounts are hidden for example, is not there in the next.
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

// The colour of money and of states: which token a part takes, and which colour that is in the light and the
// dark.
import { describe, expect, it } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { render, screen } from '@testing-library/react';
import { Amount } from './Amount.js';
import { StatusChip } from './StatusChip.js';
import { theme } from './theme.js';

const COLOURS = [
  { name: 'red', from: -20, to: 20 },
  { name: 'yellow', from: 38, to: 62 },
  { name: 'green', from: 110, to: 170 },
  { name: 'blue', from: 200, to: 240 },
] as const;

/** What people call a colour. */
function nameOf(hex: string): string | undefined {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  const sixth =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  return COLOURS.find(({ from, to }) => sixth * 60 >= from && sixth * 60 <= to)?.name;
}

/** The colours that an element's words have in each scheme. */
function coloursOf(element: Element): (string | undefined)[] {
  const { color } = getComputedStyle(element);
  const token = /--mui-palette-(success|info|error|warning)-main/.exec(color)?.[1] as 'success' | undefined;
  if (token === undefined) throw new Error(`No state's colour: ${color}`);
  return (['light', 'dark'] as const).map((scheme) =>
    nameOf(theme.colorSchemes[scheme]!.palette[token].main),
  );
}

describe('a payout', () => {
  it.each([
    ['completed', 'Completed', 'green'],
    ['processing', 'Processing', 'blue'],
    ['failed', 'Failed', 'red'],
    ['pending', 'Pending', 'yellow'],
    ['on_hold', 'On hold', 'yellow'],
  ])('that is %s says %s in %s', (status, label, colour) => {
    render(
      <ThemeProvider theme={theme}>
        <StatusChip status={status} />
      </ThemeProvider>,
    );
    expect(coloursOf(screen.getByText(label).closest('[data-tone]')!)).toEqual([colour, colour]);
  });
});

describe('an amount of a treasury', () => {
  it.each([
    ['credited', 'in', 'in', '+$20.00', 'green'],
    ['debited', 'out', 'debit', '-$20.00', 'red'],
  ] as const)('that is %s stands in its colour', (_, direction, tone, words, colour) => {
    render(
      <ThemeProvider theme={theme}>
        <Amount decimal="20.00" direction={direction} tone={tone} />
      </ThemeProvider>,
    );
    expect(coloursOf(screen.getByText(words))).toEqual([colour, colour]);
  });
});

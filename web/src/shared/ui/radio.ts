import type { Theme } from '@mui/material/styles';

/** The look of a radio button; the row around it shows its focus. */
export const radioLook = (theme: Theme) =>
  ({
    appearance: 'none',
    boxSizing: 'border-box',
    margin: 0,
    width: 18,
    height: 18,
    flex: 'none',
    borderRadius: '50%',
    border: `1.5px solid ${theme.vars.palette.control}`,
    cursor: 'pointer',
    '&:checked': { border: `5.5px solid ${theme.vars.palette.primary.main}` },
    '&:focus-visible': { outline: 'none' },
  }) as const;

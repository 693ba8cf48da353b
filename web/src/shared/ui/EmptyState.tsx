/** An empty list, and a list that could not be loaded. */
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { Banner, Stack } from './Layout.js';
import { DESKTOP } from './theme.js';

const Middle = styled(Paper)({
  padding: '36px 16px 24px',
  display: 'grid',
  justifyItems: 'center',
  gap: 6,
  textAlign: 'center',
});

const LampDrawing = styled('svg')(({ theme }) => ({
  marginBottom: 10,
  '& .light': { fill: theme.vars.palette.tungsten.main },
  '& .lamp': { fill: theme.vars.palette.text.secondary },
}));

function Lamp() {
  return (
    <LampDrawing width="120" height="84" viewBox="0 0 120 84" aria-hidden="true">
      <path className="light" d="M96 0H106L96 70H16Z" opacity=".22" />
      <ellipse className="light" cx="56" cy="70" rx="46" ry="12" opacity=".5" />
      <path className="lamp" d="M92 0h18v6H92z" />
    </LampDrawing>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** One button, and at most a note. */
  readonly action?: ReactNode;
  /** `line`: the title only, for a list below others. */
  readonly size?: 'full' | 'line';
}

/** An empty list: title, one line, one button. */
export function EmptyState({ title, children, action, size = 'full' }: EmptyStateProps) {
  if (size === 'line')
    return (
      <Middle variant="card" style={{ padding: 22 }}>
        <Typography color="textSecondary">{title}</Typography>
      </Middle>
    );
  return (
    <Middle variant="card">
      <Lamp />
      <Typography variant="h2" component="p">
        {title}
      </Typography>
      {children !== undefined && (
        <Typography
          color="textSecondary"
          style={{ fontSize: 14, lineHeight: '20px', maxWidth: 280, textWrap: 'balance' }}
        >
          {children}
        </Typography>
      )}
      {action !== undefined && (
        <Stack style={{ width: '100%', maxWidth: 320, marginTop: 14 }}>{action}</Stack>
      )}
    </Middle>
  );
}

interface ErrorStateProps {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

/** A list that could not be loaded, under its heading, with a button to try again. */
export function ErrorState({ children, onRetry }: ErrorStateProps) {
  return (
    <Stack>
      <Banner tone="error">{children}</Banner>
      <Button variant="outlined" onClick={onRetry} sx={{ [DESKTOP]: { justifySelf: 'start' } }}>
        Try again
      </Button>
    </Stack>
  );
}

/** The end-repeat sign (two dots, thin bar, thick bar) and the wordmark: go back, play it again. */
import { styled } from '@mui/material/styles';

const Sign = styled('svg')(({ theme }) => ({
  fill: 'currentColor',
  '& .dot': { fill: theme.vars.palette.primary.main },
  ...theme.applyStyles('dark', { '& .dot': { fill: theme.vars.palette.tungsten.main } }),
  '.on-stage &': { '& .dot': { fill: theme.vars.palette.tungsten.main } },
}));

/** The sign alone. */
export function LogoSign({ size }: { readonly size: number }) {
  return (
    <Sign width={size} height={size} viewBox="2 2 19.6 20" aria-hidden="true">
      <circle className="dot" cx="4.4" cy="8.6" r="2.4" />
      <circle className="dot" cx="4.4" cy="15.4" r="2.4" />
      <rect x="9.6" y="2" width="2.4" height="20" rx=".6" />
      <rect x="15" y="2" width="6.6" height="20" rx="1" />
    </Sign>
  );
}

const Word = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 7,
  lineHeight: '24px',
  fontWeight: 680,
  fontStretch: '118%',
  letterSpacing: '-.025em',
});

/** Encore, with its sign. */
export function Logo({ size = 19 }: { readonly size?: number }) {
  return (
    <Word style={{ fontSize: size }}>
      <span className="word">Encore</span>
      <LogoSign size={size - 2} />
    </Word>
  );
}

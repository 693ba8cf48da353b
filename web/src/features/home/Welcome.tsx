/** A greeting by the browser's clock. On a phone the balance is seen first. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { PageTitle } from '../../shared/ui/PageTitle.js';
import { COLUMNS, PHONE } from '../../shared/ui/theme.js';

const Heading = styled('div')({
  [PHONE]: {
    position: 'absolute',
    width: 1,
    height: 1,
    overflow: 'hidden',
    clipPath: 'inset(50%)',
  },
  [COLUMNS]: { gridArea: 'welcome' },
});

/** `Good evening` until five in the morning: performers work late. */
export function greeting(hour: number): string {
  if (hour >= 5 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}

export function Welcome({ firstName }: { readonly firstName: string }) {
  return (
    <Heading>
      <PageTitle title="Home" />
      <Typography variant="h1" tabIndex={-1}>
        {greeting(new Date().getHours())}, {firstName}
      </Typography>
    </Heading>
  );
}

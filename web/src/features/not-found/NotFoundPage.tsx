/** The 404 page, signed in or not. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Link } from 'react-router-dom';
import { PATHS } from '../../shared/navigation/paths.js';
import { Logo } from '../../shared/ui/Logo.js';
import { PageTitle } from '../../shared/ui/PageTitle.js';
import { Stage } from '../../shared/ui/Stage.js';
import { touchRoom } from '../../shared/ui/theme.js';

const Middle = styled('main')({
  boxSizing: 'border-box',
  minHeight: '100dvh',
  maxWidth: 480,
  margin: '0 auto',
  padding: '20px 20px 32px',
  display: 'grid',
  gridTemplateRows: 'auto 1fr',
  gap: 20,
  '& > a': {
    color: 'inherit',
    textDecoration: 'none',
    justifySelf: 'start',
    borderRadius: 6,
    ...touchRoom(10),
  },
});

export default function NotFoundPage() {
  return (
    <Middle>
      <PageTitle title="Page Not Found" />
      <Link to={PATHS.home} aria-label="Encore, home">
        <Logo />
      </Link>
      <div style={{ alignSelf: 'center' }}>
        <Stage light="centred">
          <div style={{ padding: '96px 20px 28px', textAlign: 'center' }}>
            <Typography variant="h1" tabIndex={-1}>
              404 Page Not Found
            </Typography>
            <Typography style={{ margin: '28px 0 24px' }}>
              Did you forget to add the page to the router?
            </Typography>
            <Button variant="tungsten" component={Link} to={PATHS.home} fullWidth>
              Back to Home
            </Button>
          </div>
        </Stage>
      </div>
    </Middle>
  );
}

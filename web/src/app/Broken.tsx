/** In place of a page that could not be loaded or shown. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useEffect } from 'react';
import { useToast } from '../toasts/toasts.js';
import { ErrorState } from '../ui/EmptyState.js';
import { Stack } from '../ui/Layout.js';
import { PageTitle } from '../ui/PageTitle.js';

const SENTENCE = 'This page could not be opened. Check your connection and try again.';
const Middle = styled('main')({ maxWidth: 440, margin: '0 auto', padding: '72px 20px' });

export function Broken() {
  const toast = useToast();
  useEffect(() => toast.error('Navigation Error', SENTENCE), [toast]);
  return (
    <Middle>
      <PageTitle title="Navigation Error" />
      <Stack gap={16}>
        <Typography variant="h1" tabIndex={-1}>
          Navigation Error
        </Typography>
        {/* The whole page again: what is missing may have been replaced by a newer version of the app. */}
        <ErrorState onRetry={() => window.location.reload()}>{SENTENCE}</ErrorState>
      </Stack>
    </Middle>
  );
}

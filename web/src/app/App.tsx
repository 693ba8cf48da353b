/**
 * The app over a store and a router: the look, and everything below it. The router is the plain one: what a
 * screen shows is read by the store, so a router that reads as well would only be weight in everybody's first
 * load.
 */
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode, type ComponentType, type ReactNode } from 'react';
import { Provider } from 'react-redux';
import { theme } from '../shared/ui/theme.js';
import { Root } from './Root.js';
import type { Store } from './store.js';

interface AppProps {
  readonly store: Store;
  readonly Router: ComponentType<{ children: ReactNode }>;
}

export function App({ store, Router }: AppProps) {
  return (
    <StrictMode>
      <Provider store={store}>
        {/* The system's mode alone counts; nothing is stored, so nothing has to be read before the first paint. */}
        <ThemeProvider theme={theme} storageManager={null}>
          <CssBaseline />
          <Router>
            <Root />
          </Router>
        </ThemeProvider>
      </Provider>
    </StrictMode>
  );
}

model M Real x[2, 3] = {1e308*i + j for j in 1:3, i in 1:2}; end M;

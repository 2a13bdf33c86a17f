"""Zheng, Lu, Zheng, Xu: Unsupervised Clustering Based Reduced SVM, 2003."""
